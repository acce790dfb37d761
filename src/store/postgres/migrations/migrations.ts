/**
 * Changes of the schema by position, as SQL: entry 0 results in version 2. A released migration never changes; append
 * another one. Machines of the release before keep working on the result: a migration only adds, and what it makes
 * superfluous is dropped one release later.
 */
export const POSTGRES_MIGRATIONS: readonly string[] = []
