import type { ErrorLocation, ExecutionError } from './event.ts'

/**
 * Where a recorded error was thrown in the project; when it has no place of its own, as that of a parent whose child
 * failed, where its cause was thrown. Undefined in production.
 */
export function failingLine(error: unknown): ErrorLocation | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { location, cause } = error as Partial<ExecutionError>
  return location ?? failingLine(cause)
}
