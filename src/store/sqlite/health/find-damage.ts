import { openDatabase } from '../driver.ts'

/** Reads a whole database file, and returns the first damage that SQLite finds. */
export function findDamage(file: string): string | undefined {
  const database = openDatabase(file, { readOnly: true })
  try {
    const { quick_check: result } = database.prepare('PRAGMA quick_check(1)').get() as { quick_check: string }
    return result === 'ok' ? undefined : result.replace(/\s+/g, ' ').replace('*** in database main *** ', '')
  } finally {
    database.close()
  }
}
