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
