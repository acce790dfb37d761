import type { SqlParam } from './sql.ts'

/** A part of a query, with a `?` for each value. */
export interface Condition {
  readonly text: string
  readonly values: readonly SqlParam[]
}

export function whereAll(conditions: readonly Condition[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.map(({ text }) => text).join(' AND ')}`
}

export function valuesOf(conditions: readonly Condition[]): SqlParam[] {
  return conditions.flatMap(({ values }) => values)
}

/** The condition of a member of a filter, if it is defined. */
export function given<Value>(value: Value | undefined, condition: (value: Value) => Condition): Condition[] {
  return value === undefined ? [] : [condition(value)]
}

/** The conditions of the members of a filter that are defined. That of `true` has no parameter. */
export function conditionsOf<Key extends string>(
  conditions: Readonly<Record<Key, string>>,
  filter: Readonly<Partial<Record<Key, SqlParam | undefined>>>,
): Condition[] {
  return (Object.keys(conditions) as Key[]).flatMap((key) =>
    given<SqlParam>(filter[key], (value) => {
      // an index finds IS NULL, not = NULL
      if (value === null) return { text: conditions[key].replace('= ?', 'IS NULL'), values: [] }
      return { text: conditions[key], values: value === true ? [] : [value] }
    }),
  )
}
