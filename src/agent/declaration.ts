/** Whether a value of a declaration is a string that is not blank. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

/** A frozen copy of a list; empty for values that are not arrays, which the `problems` of the declaration report. */
export function frozenList<T>(value: readonly T[]): readonly T[] {
  return Object.freeze(Array.isArray(value) ? [...value] : [])
}
