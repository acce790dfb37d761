const MIN_CHUNK_LENGTH = 1000

/**
 * Cuts a text at blank lines outside of code blocks into pieces of some size. A text that grows keeps all
 * pieces but its last, so that only that one has to be drawn again.
 */
export function splitMarkdown(text: string): string[] {
  const pieces: string[] = []
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
    else if (line === '' && end !== -1 && next - from >= MIN_CHUNK_LENGTH) {
      pieces.push(text.slice(from, next))
      from = next
    }
    at = next
  }
  if (from < text.length) pieces.push(text.slice(from))
  return pieces
}
