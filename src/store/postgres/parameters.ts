/** A part of a query, with a `?` for each value. */
export interface Condition {
  readonly text: string
  readonly values: readonly unknown[]
}

/** Numbers the `?` of a text, which must have none in literals: Postgres calls them `$1`, `$2`… */
export function numberParameters(text: string): string {
  let count = 0
  return text.replaceAll('?', () => `$${++count}`)
}

export function whereAll(conditions: readonly Condition[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.map(({ text }) => text).join(' AND ')}`
}

export function valuesOf(conditions: readonly Condition[]): unknown[] {
  return conditions.flatMap(({ values }) => values)
}
