/** Marks that turn the direction of text, and would let it read as what it is not. */
const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** A text with such marks written as escapes, as JSON may have them. */
export function escapeBidi(text: string): string {
  return text.replace(TURNS, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
