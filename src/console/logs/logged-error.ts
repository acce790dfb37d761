import type { ExecutionError } from '../../contract/event.ts'

/** Reads an error in the form of a logger: `{ type, message, stack, cause }`. */
export function readLoggedError(value: unknown): ExecutionError | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { type, name, message, stack, cause } = value as Readonly<Record<string, unknown>>
  if (typeof message !== 'string') return undefined
  const inner = readLoggedError(cause)
  return {
    name: typeof type === 'string' ? type : typeof name === 'string' ? name : 'Error',
    message,
    ...(typeof stack === 'string' && { stack }),
    ...(inner && { cause: inner }),
  }
}
