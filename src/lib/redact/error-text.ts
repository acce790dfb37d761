import { redactValue } from './redact-value.ts'
import { AppError } from '../errors.ts'

/** Maximum number of characters of a recorded message or stack. */
const MAX_LENGTH = 8192
/** The part of a text that is redacted. It is longer, as the redaction shortens it. */
const MAX_READ = 16_384
/** Longer than a secret: how much of one may be left at the end of that part, where it is not recognized. */
const MAX_SECRET = 4096

/**
 * The redacted beginning of an error's message or stack, at most 8,192 characters. The text is cut before the redaction,
 * as redacting megabytes takes seconds. A secret that is cut is left out, since half of a secret is not recognized.
 *
 * @param prepare changes the text between the two, without making it longer.
 */
export function redactErrorText(
  text: string,
  redact: (text: string) => string,
  prepare: (text: string) => string = (same) => same,
): string {
  const isCut = text.length > MAX_READ
  const redacted = redact(prepare(isCut ? text.slice(0, MAX_READ) : text))
  const safe = isCut ? redacted.slice(0, Math.max(0, redacted.length - MAX_SECRET)) : redacted
  return isCut || safe.length > MAX_LENGTH ? `${safe.slice(0, MAX_LENGTH - 1)}…` : safe
}

/** A thrown value that is not an `Error`, as text. Large objects are described by their first members. */
export function describeThrown(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown
  return `Thrown value: ${JSON.stringify(redactValue(thrown, (text) => text))}`
}

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
