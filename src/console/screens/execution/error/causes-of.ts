import type { ExecutionError } from '../../../../contract/event.ts'

/** Number of causes shown. */
const MAX_CAUSES = 5

/** The causes of an error, the nearest first. */
export function causesOf(error: ExecutionError): readonly ExecutionError[] {
  const causes: ExecutionError[] = []
  for (let { cause } = error; isError(cause) && causes.length < MAX_CAUSES; { cause } = cause)
    causes.push(cause)
  return causes
}

function isError(value: unknown): value is ExecutionError {
  return typeof value === 'object' && value !== null && 'message' in value && 'name' in value
}
