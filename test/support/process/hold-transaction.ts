// Holds a write transaction of a database until it is killed.
import { openDatabase } from '../../../src/store/sqlite/driver.ts'

const [file = ''] = process.argv.slice(2)
const database = openDatabase(file)
database.exec('PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE')
setInterval(() => database, 1000)
process.stdout.write('holding\n')
