import { diffArrays } from 'diff'

/** A part of two texts: in both, only in the first, or only in the second. */
export interface DiffPart {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** Words, spaces and signs that are removed or added. With more, the whole texts are easier to read than their parts. */
const MAX_EDITS = 800

/** The words that differ between two texts, in order. */
export function wordDiff(before: string, after: string): readonly DiffPart[] {
  const parts = diffArrays(wordsOf(before), wordsOf(after), { maxEditLength: MAX_EDITS })
  if (!parts)
    return [
      { kind: 'removed', text: before },
      { kind: 'added', text: after },
    ]
  return parts.map(({ removed, added, value }) => ({
    kind: removed ? 'removed' : added ? 'added' : 'same',
    text: value.join(''),
  }))
}

/** Words of any script, spaces and signs. */
function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+|\s+|./gu) ?? []
}
