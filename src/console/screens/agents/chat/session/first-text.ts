/** The first of several loose values that is a text; else nothing. */
export function firstText(...values: readonly unknown[]): string {
  return values.find((value): value is string => typeof value === 'string') ?? ''
}
