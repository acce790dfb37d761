import type * as Ai from 'ai'
import { systemClock } from '../../lib/clock.ts'
import { AppError, messageOf } from '../../lib/errors.ts'
import { shorten } from '../../lib/json/json-path.ts'
import { secretsIn } from '../../lib/redact/known-secrets.ts'
import { textRedactor } from '../../lib/redact/redact-text.ts'
import type { ModelChoice } from './model-choice.ts'
import { type Environment, isProviderName, PROVIDERS } from './model-provider.ts'

interface Call {
  readonly ai: typeof Ai
  readonly model: ModelChoice
  readonly env: Environment
}

/**
 * Puts what went wrong at a provider in our own words, without keys: `unavailable` when the provider can't or
 * won't answer, `execution_failed` when its answer is of no use. Other errors are given back as they are.
 */
export function translateError(error: unknown, call: Call): unknown {
  const { ai, model, env } = call
  const last = ai.RetryError.isInstance(error) ? error.lastError : error
  if (ai.APICallError.isInstance(last)) return translateCall(last, call)
  const name = `${model.provider}/${model.modelId}`
  if (ai.LoadAPIKeyError.isInstance(last)) {
    return new AppError('unavailable', `${name} has no API key: ${redact(last.message, env)}`)
  }
  if (ai.DownloadError.isInstance(last)) {
    return new AppError('invalid_input', `A file of the input can't be fetched: ${redact(last.message, env)}`)
  }
  if (ai.NoObjectGeneratedError.isInstance(last)) {
    const reason =
      last.finishReason === 'length'
        ? 'was cut off at its length limit'
        : 'is not the JSON that was asked for'
    return new AppError('execution_failed', `The answer of ${name} ${reason}`, { cause: last })
  }
  if (ai.AISDKError.isInstance(last) && last.name !== STREAM_PROVIDER_ERROR) {
    return new AppError('execution_failed', `${name}: ${redact(last.message, env)}`)
  }
  if (isBrokenConnection(last)) return new AppError('unavailable', `${name} broke off its answer`)
  // what a provider says in the middle of a stream comes as it was sent, from ai 7 on in an error of its own
  if (!(last instanceof Error) || last.name === STREAM_PROVIDER_ERROR) {
    const told = redact(shorten(messageOf(last), 300), env)
    return new AppError('execution_failed', `${name} broke off its answer: ${told}`)
  }
  return last
}

const STREAM_PROVIDER_ERROR = 'AI_StreamProviderError'

/** How fetch tells, in the middle of a body, that its connection is gone. */
function isBrokenConnection(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'terminated'
}

/** The original is not kept as the cause: providers repeat the key they refuse in message and body. */
function translateCall(error: Ai.APICallError, { model, env }: Call): AppError {
  const { statusCode } = error
  const { provider, modelId } = model
  if (isBrokenConnection(error.cause)) {
    return new AppError('unavailable', `${provider}/${modelId} broke off its answer`)
  }
  const told = redact(shorten(messageOf(error), 300), env)
  switch (statusCode) {
    case undefined:
      return new AppError('unavailable', `${provider} can't be reached: ${told}`)
    case 401:
    case 403:
      return new AppError('unavailable', `${provider} rejected ${keyOf(model)} (${statusCode})`, {
        hint: 'Check that the key is complete, still valid and allowed to use this model',
      })
    case 404:
      return new AppError('unavailable', `${provider} has no model "${modelId}" (404): ${modelHint(model)}`)
    case 429:
      return overloaded(error, `${provider} refused because of too many requests or a spent quota (429)`)
    default:
      if (statusCode >= 500) return overloaded(error, `${provider} failed (${statusCode}): ${told}`)
      return new AppError(
        'execution_failed',
        statusCode < 400
          ? `${provider} gave an answer that can't be read (${statusCode}): ${told}`
          : `${provider} refused the request (${statusCode}): ${told}`,
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
  if (provider === 'ollama') return `fetch it with \`ollama pull ${modelId}\``
  return 'name another one in the agent, or in AGENTSERVER_MODEL=provider/model'
}

function overloaded(error: Ai.APICallError, message: string): AppError {
  const seconds = retryAfter(error)
  const when = seconds === undefined ? 'later' : `in ${seconds} s`
  return new AppError('unavailable', `${message}; try again ${when}`, {
    headers: seconds === undefined ? {} : { 'Retry-After': String(seconds) },
  })
}

/** `Retry-After` in seconds; it may also be a date (RFC 9110, section 10.2.3). */
function retryAfter({ responseHeaders }: Ai.APICallError): number | undefined {
  const told = responseHeaders?.['retry-after'] ?? ''
  const seconds = /^\d/.test(told) ? Number(told) : (Date.parse(told) - systemClock.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined
}

/** The text without anything that looks like a key, or is one of the environment's. */
function redact(text: string, env: Environment): string {
  return textRedactor(secretsIn(env))(text)
}
