import { AppError, messageOf } from '../../lib/errors.ts'
import { RESPONSE_TRUNCATED } from './truncated-responses.ts'

const MAX_REASON = 300

/** The code of an error response of the server: it is about the request, not the connection. */
export function serverErrorCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || error.name !== 'ProtocolError' || !('code' in error)) return undefined
  return error.code === RESPONSE_TRUNCATED ? undefined : Number(error.code)
}

/** The first line of the error message, or of its cause where that has the actual reason. */
export function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown }
  // fetch() puts the reason into the cause of its TypeError, and the SDK may wrap that error once more
  if (cause !== undefined && [error, cause].some((each) => each instanceof TypeError)) return reasonOf(cause)
  return messageOf(error).split('\n', 1)[0]?.slice(0, MAX_REASON) ?? ''
}

/** The error of a request without a response. A limit that the response exceeded is named. */
export function noResponse(serverId: string, cause: unknown): AppError {
  const limit = [cause, (cause as { cause?: unknown } | undefined)?.cause].find(
    (error) => error instanceof AppError,
  )
  const reason = limit ? `: ${limit.message}` : ''
  return new AppError('unavailable', `MCP server "${serverId}" did not respond${reason}`, { cause })
}
