import type { Logger } from 'pino'
import { errorEnvelope } from '../../lib/json/envelope.ts'
import { AppError } from '../../lib/errors.ts'
import type { SpanIds } from '../../lib/telemetry/trace-scope.ts'

export interface ErrorReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The error envelope as JSON. */
  readonly body: string
}

const INTERNAL = 'Internal server error'

interface FailedRequest {
  readonly logger: Logger
  /** The ids that link its log records to the request and its span. */
  readonly ids: { readonly requestId: string } & Partial<SpanIds>
}

/** Translates anything that was thrown into status, headers and envelope. Internal details go to the log only. */
export function errorReply(error: unknown, { logger, ids: requestIds }: FailedRequest): ErrorReply {
  if (!(error instanceof AppError)) {
    logger.error({ err: error, ...requestIds }, INTERNAL)
    return { status: 500, headers: {}, body: errorEnvelope(INTERNAL) }
  }
  const { status, headers, code } = error
  const { 'X-Execution-Id': executionId, 'X-Trace-Id': traceId } = headers
  const ids = { ...requestIds, executionId, ...(traceId !== undefined && { traceId }) }
  // the engine has logged the cause of a failed execution
  const err = executionId === undefined ? error.cause : undefined
  if (code === 'execution_failed') logger.warn({ err, ...ids }, error.message)
  else if (status >= 500 && code !== 'unavailable') logger.error({ err: error, ...ids }, error.message)
  return {
    status,
    headers,
    body: errorEnvelope(code === 'internal' ? INTERNAL : error.message, error.beside),
  }
}
