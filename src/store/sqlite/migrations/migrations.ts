import type { Database } from '../driver.ts'

/** SQL, or a function for a migration that SQL can't express. */
export type SqliteMigration = string | ((database: Database) => void)

/**
 * Changes of the schema by position: entry 0 results in version 2. A released migration never changes, except for its
 * comments; append another one.
 */
export const SQLITE_MIGRATIONS: readonly SqliteMigration[] = []
