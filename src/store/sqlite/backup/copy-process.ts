import { AppError, messageOf } from '../../../lib/errors.ts'
import { openDatabase } from '../driver.ts'
import { databaseError } from '../health/database-error.ts'
import { checkCopy } from './check-copy.ts'
import type { CopyReply } from './run-copy.ts'

/** The program of the process that `runCopy` starts. SQLite blocks the thread, for seconds on large files. */
const [copy = '', source] = process.argv.slice(2)

try {
  if (source !== undefined) vacuumInto(source, copy)
  reply({ phase: 'checking' })
  const contents = checkCopy(copy)
  reply({ contents })
} catch (thrown) {
  const error = databaseError(thrown, `The file ${source ?? copy}`) ?? thrown
  const { code, hint } = error instanceof AppError ? error : { code: 'internal' as const, hint: undefined }
  reply({ error: { code, message: messageOf(error), hint } })
}

/** Writes a copy of the state at this instant. It holds a read transaction, which no writer waits for. */
function vacuumInto(from: string, to: string): void {
  const database = openDatabase(from, { readOnly: true })
  try {
    database.exec('PRAGMA busy_timeout = 10000')
    database.prepare('VACUUM INTO ?').run(to)
  } finally {
    database.close()
  }
}

function reply(message: CopyReply): void {
  process.send?.(message)
}
