/**
 * Text of others must not drive the terminal: control characters but tab and newline become `\xNN`, those that
 * turn the direction of writing or end a line in other ways `\uNNNN`.
 */
export function escapeControls(text: string): string {
  // oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, (character) => {
    const code = character.charCodeAt(0).toString(16)
    return code.length > 2 ? `\\u${code}` : `\\x${code.padStart(2, '0')}`
  })
}

/** The same JSON, whatever shows it: JSON itself escapes only some of these characters. */
export function escapeJson(json: string): string {
  return json.replace(/[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
