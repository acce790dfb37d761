import type { ConfigProblem } from '../config-error.ts'

/** The problems of an option. `declaredAt` returns where the invalid value was declared. */
export function problemsUnder(
  key: string,
  texts: readonly string[],
  declaredAt: () => Error | undefined = () => undefined,
): ConfigProblem[] {
  const place = texts.length === 0 ? undefined : declaredAt()
  return texts.map((text) => ({ path: [key], text, declaredAt: place }))
}
