/** Maximum number of characters of a title that is made from a message. */
const TITLE_CHARACTERS = 120

/** The title of a conversation: the beginning of its first message; null when that has no text. */
export function conversationTitle(text: string): string | null {
  // more than a title needs, as white space is removed
  const line = text
    .slice(0, TITLE_CHARACTERS * 10)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  if (line === '') return null
  if (line.length <= TITLE_CHARACTERS) return line
  // not half of a character
  return `${line
    .slice(0, TITLE_CHARACTERS - 1)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}…`
}
