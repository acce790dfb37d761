import { diffArrays } from 'diff'

/** A part of two texts: in both, only in the first, or only in the second. */
export interface DiffPart {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** Words, spaces and signs that are removed or added. With more, a part as a whole is easier to read. */
const MAX_EDITS = 800

/** The words that differ between two texts, in order. */
export function wordDiff(before: string, after: string): readonly DiffPart[] {
  const [old, fresh] = [wordsOf(before), wordsOf(after)]
  const parts = diffArrays(old, fresh, { maxEditLength: MAX_EDITS })
  if (!parts) return wholeDiff(old, fresh)
  return parts.map(({ removed, added, value }) => ({
    kind: removed ? 'removed' : added ? 'added' : 'same',
    text: value.join(''),
  }))
}

/** What is between the common beginning and the common end, as one part of each text. */
function wholeDiff(old: readonly string[], fresh: readonly string[]): readonly DiffPart[] {
  const least = Math.min(old.length, fresh.length)
  let start = 0
  while (start < least && old[start] === fresh[start]) start++
  let end = 0
  while (end < least - start && old.at(-1 - end) === fresh.at(-1 - end)) end++
  const parts: readonly DiffPart[] = [
    { kind: 'same', text: old.slice(0, start).join('') },
    { kind: 'removed', text: old.slice(start, old.length - end).join('') },
    { kind: 'added', text: fresh.slice(start, fresh.length - end).join('') },
    { kind: 'same', text: old.slice(old.length - end).join('') },
  ]
  return parts.filter(({ text }) => text !== '')
}

/** Words of any script, spaces and signs. */
function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+|\s+|./gu) ?? []
}
