/** The problems of options that must be functions. */
export function functionProblems(options: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(options).flatMap(([key, value]) =>
    value === undefined || typeof value === 'function' ? [] : [`${key}: must be a function`],
  )
}
