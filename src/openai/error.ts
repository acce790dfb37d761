import type { OpenaiError } from '../contract/endpoints/openai.ts'
import type { AppError, ErrorCode } from '../lib/errors.ts'

/** A member of a request, at the beginning of a message: `messages[0].content: Must not be empty`. */
const PARAM = /^([a-z_]+(?:\[\d+\]|\.\w+)*): /i

const NONE = { type: 'invalid_request_error', code: null }
const RATE = { type: 'rate_limit_error', code: 'rate_limit_exceeded' }
const SERVER = { type: 'server_error', code: 'server_error' }

/** The types and codes of OpenAI's errors. */
const BY_CODE: Partial<Record<ErrorCode, { readonly type: string; readonly code: string | null }>> = {
  unauthorized: { type: 'invalid_request_error', code: 'invalid_api_key' },
  forbidden: { type: 'permission_error', code: 'permission_denied' },
  too_many_requests: RATE,
  budget_exceeded: { type: 'insufficient_quota', code: 'insufficient_quota' },
}

/** What an adapter knows about an error, in `beside` of an {@link AppError}. */
export interface OpenaiFacts {
  readonly param?: string
  readonly code?: string
}

/** An error in the form of OpenAI's API. `message` is for callers. */
export function openaiError(error: AppError | undefined, message: string): OpenaiError {
  const { status = 500, code = 'internal', beside = {} } = error ?? {}
  const known = BY_CODE[code] ?? (status >= 500 ? SERVER : NONE)
  const { param = PARAM.exec(message)?.[1] ?? null, code: own = known.code } = beside as OpenaiFacts
  return { error: { message, type: known.type, param, code: own } }
}
