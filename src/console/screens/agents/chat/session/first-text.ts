/** The first value that is a string; else an empty one. */
export function firstText(...values: readonly unknown[]): string {
  return values.find((value): value is string => typeof value === 'string') ?? ''
}
