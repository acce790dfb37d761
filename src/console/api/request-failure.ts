import { ApiError } from '../../client/api-error.ts'

/** The error of a request that never reached the server: its status is 0. */
export function unreachable(cause: unknown): ApiError {
  return new ApiError('The server cannot be reached', 0, new Headers(), { cause })
}

/** The message of anything that was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
