/** Text of others must not drive the terminal: control characters but tab and newline become `\xNN`. */
export function escapeControls(text: string): string {
  // oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (character) => {
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
  })
}
