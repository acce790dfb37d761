/**
 * Escapes characters with which untrusted text could control the terminal: control characters except tab and newline
 * become `\xNN`, line separators and characters that change the text direction (Unicode UAX #9) become `\uNNNN`.
 */
export function escapeControls(text: string): string {
  return text.replace(
    // oxlint-disable-next-line no-control-regex -- control characters are intended
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => {
      const code = character.charCodeAt(0).toString(16)
      return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`
    },
  )
}

/** Escapes the same characters in JSON text, without a change of its value. JSON requires it only below U+0020. */
export function escapeJson(json: string): string {
  return json.replace(/[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
