import type { Database } from './driver.ts'

/** Runs `work` in a transaction, which is rolled back when `work` throws. */
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

/** Rolls back a failed transaction. */
export function rollBack(database: Database): void {
  try {
    database.exec('ROLLBACK')
  } catch (error) {
    // SQLite rolls back by itself after some errors, such as a full disk
    if (!/no transaction is active/.test(String(error))) throw error
  }
}
