import type { Logger } from 'pino'
import { errorEnvelope } from '../contract/envelope.ts'
import { AppError } from '../lib/errors.ts'

export interface ErrorReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The envelope as JSON. */
  readonly body: string
}

const INTERNAL = 'Internal server error'

/** Turns anything that was thrown into the reply's status and envelope; what is not for the caller is logged. */
export function errorReply(
  error: unknown,
  { logger, requestId }: { logger: Logger; requestId: string },
): ErrorReply {
  if (!(error instanceof AppError)) {
    logger.error({ err: error, requestId }, INTERNAL)
    return { status: 500, headers: {}, body: errorEnvelope(INTERNAL) }
  }
  const { status, headers, code } = error
  if (code === 'execution_failed') logger.warn({ err: error.cause, requestId, ...headers }, error.message)
  else if (status >= 500 && code !== 'unavailable') logger.error({ err: error, requestId }, error.message)
  return { status, headers, body: errorEnvelope(code === 'internal' ? INTERNAL : error.message) }
}
