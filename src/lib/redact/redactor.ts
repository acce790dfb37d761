import { textRedactor } from './redact-text.ts'
import { UNLIMITED, redactValue } from './redact-value.ts'

/** Removes secrets from recorded and printed data. The functions never throw. */
export interface Redactor {
  /** Redacts known credentials and everything in the form of one in a text. */
  readonly text: (text: string) => string
  /** Returns a JSON-compatible copy, limited in size, with redacted strings and without values under sensitive names. */
  readonly value: (value: unknown) => unknown
  /** The same of JSON of any size, without omitting parts of it. */
  readonly whole: (value: unknown) => unknown
}

/**
 * Creates a redactor.
 *
 * @param knownValues returns the current credentials. Called for every text; must return the same array until they change.
 */
export function createRedactor(knownValues: () => readonly string[] = () => NONE): Redactor {
  let current: readonly string[] | undefined
  let redact = textRedactor(NONE)
  const text = (full: string) => {
    const known = knownValues()
    if (known !== current) {
      redact = textRedactor(known)
      current = known
    }
    return redact(full)
  }
  return {
    text,
    value: (value) => redactValue(value, text),
    whole: (value) => redactValue(value, text, UNLIMITED),
  }
}

const NONE: readonly string[] = []
