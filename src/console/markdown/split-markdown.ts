/** Characters of a part at least. */
const MIN_LENGTH = 1000

/**
 * Splits Markdown at blank lines outside of code blocks. When the text grows only its last part changes, so that only
 * that one has to be rendered again.
 */
export function splitMarkdown(text: string): string[] {
  const parts: string[] = []
  let from = 0
  let at = 0
  let fence: string | undefined
  while (at < text.length) {
    const end = text.indexOf('\n', at)
    const next = end === -1 ? text.length : end + 1
    const line = text.slice(at, Math.min(next, at + 200)).trim()
    const mark = /^(```+|~~~+)/.exec(line)?.[1]
    if (fence !== undefined) {
      if (line.startsWith(fence)) fence = undefined
    } else if (mark !== undefined) fence = mark
    else if (line === '' && end !== -1 && next - from >= MIN_LENGTH) {
      parts.push(text.slice(from, next))
      from = next
    }
    at = next
  }
  if (from < text.length) parts.push(text.slice(from))
  return parts
}
