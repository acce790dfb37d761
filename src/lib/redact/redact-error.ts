import { AppError } from '../errors.ts'
import { describeThrown, redactErrorText } from './error-text.ts'

/** An error with the redacted message of a thrown value, without its cause. An AppError keeps its code. */
export function redactError(thrown: unknown, redact: (text: string) => string): Error {
  if (!(thrown instanceof AppError))
    return new Error(
      redactErrorText(thrown instanceof Error ? String(thrown.message) : describeThrown(thrown), redact),
    )
  const { code, message, hint, headers } = thrown
  return new AppError(code, redactErrorText(message, redact), {
    ...(hint !== undefined && { hint }),
    headers,
  })
}
