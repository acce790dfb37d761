import type * as Ai from 'ai'
import { systemClock } from '../../lib/clock.ts'
import { AppError, messageOf } from '../../lib/errors.ts'
import { shorten } from '../../lib/json/json-value.ts'
import { redactErrorText } from '../../lib/redact/error-text.ts'
import type { ModelChoice } from './model-choice.ts'
import { ModelError } from './model-error.ts'
import { isProviderName, PROVIDERS } from './model-provider.ts'

interface Call {
  readonly ai: typeof Ai
  readonly model: ModelChoice
  readonly redact: (text: string) => string
}

const MAX_SHOWN_LENGTH = 300
/** Seconds after which a caller may try again, when the provider names no time. */
const RETRY_AFTER_S = 10

/**
 * Converts errors of providers and the AI SDK to AppErrors without keys: `unavailable` when the provider is overloaded
 * or cannot be reached, `execution_failed` when it rejects the call or its answer is invalid. Returns other errors
 * unchanged.
 */
export function translateError(error: unknown, call: Call): unknown {
  const { ai, model, redact } = call
  const last = ai.RetryError.isInstance(error) ? error.lastError : error
  if (ai.APICallError.isInstance(last)) return translateCall(last, call)
  const name = `${model.provider}/${model.modelId}`
  if (ai.LoadAPIKeyError.isInstance(last)) {
    return new ModelError('unavailable', `${name} has no API key: ${redact(last.message)}`)
  }
  if (ai.DownloadError.isInstance(last)) {
    return new AppError(
      'invalid_input',
      `A file of the input could not be downloaded: ${redact(last.message)}`,
    )
  }
  if (ai.NoObjectGeneratedError.isInstance(last)) {
    return invalidJsonAnswer(model, last.finishReason, last)
  }
  if (ai.AISDKError.isInstance(last) && last.name !== STREAM_PROVIDER_ERROR) {
    return new ModelError('execution_failed', `${name}: ${redact(last.message)}`)
  }
  if (isDisconnect(last)) return disconnected(model)
  if (isUnreachable(last))
    return unavailable(`${model.provider} cannot be reached: ${describeError(last.cause ?? last, redact)}`)
  // an error event in a stream is passed on as sent; version 7 of the AI SDK wraps it in an error
  if (!(last instanceof Error) || last.name === STREAM_PROVIDER_ERROR) {
    const message = describeError(last, redact)
    return new ModelError('execution_failed', `${name} failed during its answer: ${message}`)
  }
  return last
}

/**
 * Whether an error of a call means that the model's provider cannot be reached, is overloaded or fails, so that
 * another provider may answer.
 */
export function isProviderDown(error: unknown, ai: typeof Ai): boolean {
  const last = ai.RetryError.isInstance(error) ? error.lastError : error
  if (ai.APICallError.isInstance(last)) return last.isRetryable || last.statusCode === undefined
  if (ai.LoadAPIKeyError.isInstance(last)) return true
  // an error event in a stream before its first chunk; version 7 of the AI SDK wraps it in an error
  if (!(last instanceof Error) || last.name === STREAM_PROVIDER_ERROR) return true
  const { statusCode, cause } = last as { statusCode?: unknown; cause?: unknown }
  if (typeof statusCode === 'number') return statusCode === 429 || statusCode >= 500
  return isDisconnect(last) || isUnreachable(last) || hasNetworkCode(last) || hasNetworkCode(cause)
}

const NETWORK_CODE = /^(?:ECONN|ETIMEDOUT$|EHOST|ENET|ENOTFOUND$|EAI_AGAIN$|EPIPE$|UND_ERR)/

/** Whether an error is Node's for a connection that failed: models of a project's own pass it on as it is. */
function hasNetworkCode(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' && NETWORK_CODE.test(code)
}

const STREAM_PROVIDER_ERROR = 'AI_StreamProviderError'

/** Whether an error is fetch's for a connection that closed in the middle of a response body. */
function isDisconnect(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'terminated'
}

/** Whether an error is fetch's for a host that does not respond: models of a project's own pass it on as it is. */
function isUnreachable(error: unknown): error is TypeError {
  return error instanceof TypeError && error.message === 'fetch failed'
}

function disconnected({ provider, modelId }: ModelChoice): ModelError {
  return unavailable(`${provider}/${modelId} disconnected during its answer`)
}

/** The error for an answer that had to be JSON. */
export function invalidJsonAnswer(
  { provider, modelId }: ModelChoice,
  finishReason: string | undefined,
  cause: unknown,
): AppError {
  const reason = finishReason === 'length' ? 'was truncated at its length limit' : 'is not valid JSON'
  return new AppError('execution_failed', `The answer of ${provider}/${modelId} ${reason}`, { cause })
}

/** The provider's message, shortened after its redaction: half of a secret would not be recognized. */
function describeError(error: unknown, redact: Call['redact']): string {
  return shorten(redactErrorText(messageOf(error), redact), MAX_SHOWN_LENGTH)
}

/** The original error is not kept as the cause, because providers repeat a rejected key in message and body. */
function translateCall(error: Ai.APICallError, { model, redact }: Call): ModelError {
  const { statusCode } = error
  const { provider, modelId } = model
  if (isDisconnect(error.cause)) return disconnected(model)
  const message = describeError(error, redact)
  if (statusCode === undefined) return unavailable(`${provider} cannot be reached: ${message}`)
  switch (statusCode) {
    case 401:
    case 403:
      return new ModelError(
        'execution_failed',
        `${provider} rejected ${keyOf(model)} (${statusCode}): ${message}`,
        { hint: 'Check that the key is complete, valid and allowed to use this model' },
      )
    case 404:
      return new ModelError(
        'execution_failed',
        `${provider} has no model "${modelId}" (404): ${modelHint(model)}`,
      )
    case 429:
      return unavailable(
        `${provider} rejected the request: too many requests or quota exceeded (429): ${message}`,
        retryAfter(error),
      )
    default:
      if (statusCode >= 500)
        return unavailable(`${provider} failed (${statusCode}): ${message}`, retryAfter(error))
      return new ModelError(
        'execution_failed',
        statusCode < 400
          ? `${provider} returned an unreadable response (${statusCode}): ${message}`
          : `${provider} rejected the request (${statusCode}): ${message}`,
      )
  }
}

function keyOf({ provider, origin }: ModelChoice): string {
  const known = isProviderName(provider) ? PROVIDERS[provider].variable : undefined
  return known === undefined || (origin === 'agent' && known === 'OLLAMA_HOST')
    ? "the model's API key"
    : `the key in ${known}`
}

function modelHint({ provider, modelId }: ModelChoice): string {
  if (provider === 'ollama') return `download it with \`ollama pull ${modelId}\``
  return 'set another model in the agent, or AGENTSERVER_MODEL=provider/model'
}

function unavailable(reason: string, seconds?: number): ModelError {
  const time = seconds === undefined ? 'later' : `in ${seconds} s`
  return new ModelError('unavailable', `${reason}; try again ${time}`, {
    headers: { 'Retry-After': String(seconds ?? RETRY_AFTER_S) },
  })
}

/** `Retry-After` in seconds. The header is a number or a date (RFC 9110, section 10.2.3). */
function retryAfter({ responseHeaders }: Ai.APICallError): number | undefined {
  const value = responseHeaders?.['retry-after'] ?? ''
  const seconds = /^\d/.test(value) ? Number(value) : (Date.parse(value) - systemClock.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined
}
