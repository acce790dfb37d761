import { textRedactor } from './redact-text.ts'
import { redactValue } from './redact-value.ts'

/** Takes secrets out of what is recorded or printed. Neither function ever throws. */
export interface Redactor {
  /** The text without known credentials and whatever has the form of one; other text stays as it is. */
  readonly text: (text: string) => string
  /** A copy that JSON can carry, bounded in size, without values under sensitive names and secrets in texts. */
  readonly value: (value: unknown) => unknown
}

/**
 * @param knownValues credentials in use, asked for each time; while it returns the same array, nothing is made anew.
 */
export function createRedactor(knownValues: () => readonly string[] = () => NONE): Redactor {
  let of: readonly string[] | undefined
  let redact = textRedactor(NONE)
  const text = (whole: string) => {
    const known = knownValues()
    if (known !== of) {
      redact = textRedactor(known)
      of = known
    }
    return redact(whole)
  }
  return { text, value: (value) => redactValue(value, text) }
}

const NONE: readonly string[] = []
