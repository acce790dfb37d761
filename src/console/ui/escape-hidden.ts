/** Colours of a terminal. */
// eslint-disable-next-line no-control-regex
const SGR = /\u001B\[[\d;]*m/g
/** Control characters but tab and line break, and marks that turn the direction of writing around. */
// eslint-disable-next-line no-control-regex
const HIDDEN = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g

/** A text in which nothing is hidden: what can't be seen is written as an escape. */
export function escapeHidden(text: string): string {
  return text.replace(HIDDEN, (character) => {
    const code = character.charCodeAt(0)
    return code < 256
      ? String.raw`\x${code.toString(16).padStart(2, '0')}`
      : String.raw`\u${code.toString(16)}`
  })
}

/** A text for one line of a list: without the colours of a terminal, cut where nobody would read on. */
export function oneLine(text: string, maxLength: number): string {
  // colours are taken out first, else a cut could fall into one
  const cut = text
    .slice(0, maxLength * 2)
    .replace(SGR, '')
    .replaceAll(/\s*\n\s*/g, ' ')
  return escapeHidden(cut.slice(0, maxLength))
}
