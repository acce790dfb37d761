/** Bidirectional control characters, which can make a text look different from its content. */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** The text with bidirectional control characters as JSON escapes. */
export function escapeBidi(text: string): string {
  return text.replace(BIDI, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
