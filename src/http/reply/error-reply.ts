import type { Logger } from 'pino'
import { errorEnvelope } from '../../lib/json/envelope.ts'
import { AppError } from '../../lib/errors.ts'
import { openaiError } from '../../openai/error.ts'
import type { SpanIds } from '../../lib/telemetry/trace-scope.ts'

export interface ErrorReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body: string
}

const INTERNAL = 'Internal server error'

/** The form of errors. */
interface ErrorFormat {
  /** @param error `undefined` for an internal error, which is not for callers */
  readonly body: (error: AppError | undefined, message: string) => string
  /** The headers in addition to those of the error. */
  readonly headers?: (status: number) => Readonly<Record<string, string>>
}

const ENVELOPES: ErrorFormat = {
  body: (error, message) => errorEnvelope(message, error?.beside),
}

/** Clients of OpenAI's API try again after that time. */
const RETRY_AFTER_S = '1'

export const OPENAI_ERRORS: ErrorFormat = {
  body: (error, message) => JSON.stringify(openaiError(error, message)),
  headers: (status) => (status === 429 || status === 503 ? { 'Retry-After': RETRY_AFTER_S } : {}),
}

interface FailedRequest {
  readonly logger: Logger
  /** Default: the envelope. */
  readonly format?: ErrorFormat | undefined
  /** The ids that link its log records to the request and its span. */
  readonly ids: { readonly requestId: string } & Partial<SpanIds>
}

/** Translates anything that was thrown into status, headers and body. Internal details go to the log only. */
export function errorReply(
  error: unknown,
  { logger, format = ENVELOPES, ids: requestIds }: FailedRequest,
): ErrorReply {
  if (!(error instanceof AppError)) {
    logger.error({ err: error, ...requestIds }, INTERNAL)
    return { status: 500, headers: {}, body: format.body(undefined, INTERNAL) }
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
    headers: { ...format.headers?.(status), ...headers },
    body: format.body(error, code === 'internal' ? INTERNAL : error.message),
  }
}
