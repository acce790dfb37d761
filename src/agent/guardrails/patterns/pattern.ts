/** A pattern of texts to redact. */
export interface Pattern {
  redact(text: string): string
  /** The index, at least `from`, from which a text may end with the beginning of a match. */
  unfinished(text: string, from: number): number
  /** Replaces the end of a text that is likely the beginning of a match, of which the rest comes later, or never. */
  redactEnd(text: string): string
}

/**
 * The index, at least `from`, at which the end of a text begins that `tail` matches; the length of the text without
 * one. `tail` is global and matches only at the end.
 */
export function startOfTail(tail: RegExp, text: string, from: number): number {
  tail.lastIndex = from
  return tail.exec(text)?.index ?? text.length
}
