import { AppError, describeThrown } from '../errors.ts'

/** An error with the redacted message of a thrown value, without its cause. An AppError keeps its code. */
export function redactError(thrown: unknown, redact: (text: string) => string): Error {
  if (!(thrown instanceof AppError))
    return new Error(redact(thrown instanceof Error ? String(thrown.message) : describeThrown(thrown)))
  const { code, message, hint, headers } = thrown
  return new AppError(code, redact(message), { ...(hint !== undefined && { hint }), headers })
}
