import type { SqlValue } from './driver.ts'

/** The condition of a query with the members of a filter that are defined, and its values. */
export function conditionsOf<Key extends string>(
  conditions: Readonly<Record<Key, string>>,
  filter: Readonly<Partial<Record<Key, string | number | null | true | undefined>>>,
): { where: string; values: SqlValue[] } {
  const keys = (Object.keys(conditions) as Key[]).filter((key) => filter[key] !== undefined)
  const texts = keys.map((key) =>
    // SQLite uses the index for IS NULL, not for = NULL
    filter[key] === null ? conditions[key].replace('= ?', 'IS NULL') : conditions[key],
  )
  return {
    where: texts.length === 0 ? '' : `WHERE ${texts.join(' AND ')}`,
    values: keys.flatMap((key): SqlValue[] => {
      const value = filter[key]
      return typeof value === 'string' || typeof value === 'number' ? [value] : []
    }),
  }
}
