/** Characters of what is the same that are kept on each side. */
const CONTEXT = 60

/** Two values that differ; of long texts, the parts around what has changed. */
export function aroundChange(before: unknown, after: unknown): readonly [before: unknown, after: unknown] {
  if (typeof before !== 'string' || typeof after !== 'string') return [before, after]
  const least = Math.min(before.length, after.length)
  let start = 0
  while (start < least && before[start] === after[start]) start++
  let end = 0
  while (end < least - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const from = start > CONTEXT ? start - CONTEXT : 0
  const cut = end > CONTEXT ? end - CONTEXT : 0
  const part = (text: string) =>
    `${from > 0 ? '…' : ''}${text.slice(from, text.length - cut)}${cut > 0 ? '…' : ''}`
  return [part(before), part(after)]
}
