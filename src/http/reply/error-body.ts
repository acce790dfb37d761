import type { Logger } from 'pino'
import { errorEnvelope } from '../../contract/envelope.ts'
import { AppError } from '../../lib/errors.ts'
import type { SpanPlace } from '../../lib/telemetry/trace-scope.ts'

export interface ErrorReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The envelope as JSON. */
  readonly body: string
}

const INTERNAL = 'Internal server error'

interface FailedRequest {
  readonly logger: Logger
  /** What ties a record of the log to it. */
  readonly ties: { readonly requestId: string } & Partial<SpanPlace>
}

/** Turns anything that was thrown into the reply's status and envelope; what is not for the caller is logged. */
export function errorReply(error: unknown, { logger, ties: request }: FailedRequest): ErrorReply {
  if (!(error instanceof AppError)) {
    logger.error({ err: error, ...request }, INTERNAL)
    return { status: 500, headers: {}, body: errorEnvelope(INTERNAL) }
  }
  const { status, headers, code } = error
  const { 'X-Execution-Id': executionId, 'X-Trace-Id': traceId } = headers
  const ties = { ...request, executionId, ...(traceId !== undefined && { traceId }) }
  // what failed an execution was logged with it
  const err = executionId === undefined ? error.cause : undefined
  if (code === 'execution_failed') logger.warn({ err, ...ties }, error.message)
  else if (status >= 500 && code !== 'unavailable') logger.error({ err: error, ...ties }, error.message)
  return { status, headers, body: errorEnvelope(code === 'internal' ? INTERNAL : error.message) }
}
