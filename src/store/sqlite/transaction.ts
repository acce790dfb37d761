import type { Database } from './driver.ts'

/** Does all of `work` or, when it throws, nothing of it. */
export function inTransaction<T>(database: Database, work: () => T): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    rollBack(database)
    throw error
  }
}

/** Undoes the transaction that failed. */
export function rollBack(database: Database): void {
  try {
    database.exec('ROLLBACK')
  } catch (error) {
    // SQLite has rolled back by itself after some failures, such as a full disk
    if (!/no transaction is active/.test(String(error))) throw error
  }
}
