// Holds a file lock until it is killed.
import { takeFileLock } from '../../../src/store/sqlite/file-lock.ts'

const [file = ''] = process.argv.slice(2)
const lock = takeFileLock(file)
setInterval(() => lock, 1000)
process.stdout.write(lock === undefined ? 'refused\n' : 'holding\n')
