/** A part of two texts: in both, only in the first, or only in the second. */
export interface DiffPart {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** Texts whose comparison would take longer are compared as wholes, but for their common beginning and end. */
const MAX_CELLS = 4_000_000

/** The words that differ between two texts, in order. */
export function wordDiff(before: string, after: string): readonly DiffPart[] {
  const [old, fresh] = [wordsOf(before), wordsOf(after)]
  const least = Math.min(old.length, fresh.length)
  let start = 0
  while (start < least && old[start] === fresh[start]) start++
  let end = 0
  while (end < least - start && old.at(-1 - end) === fresh.at(-1 - end)) end++
  const [removed, added] = [old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)]
  const parts: readonly DiffPart[] = [
    { kind: 'same', text: old.slice(0, start).join('') },
    ...(removed.length * added.length > MAX_CELLS
      ? ([
          { kind: 'removed', text: removed.join('') },
          { kind: 'added', text: added.join('') },
        ] as const)
      : compared(removed, added)),
    { kind: 'same', text: old.slice(old.length - end).join('') },
  ]
  return joined(parts)
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}]+|\s+|./gu) ?? []
}

/** By the longest common subsequence of the words. */
function compared(old: readonly string[], fresh: readonly string[]): DiffPart[] {
  const width = fresh.length + 1
  const lengths = new Uint32Array((old.length + 1) * width)
  const at = (row: number, column: number) => lengths[row * width + column] ?? 0
  for (let row = old.length - 1; row >= 0; row--)
    for (let column = fresh.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        old[row] === fresh[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1))
  const parts: DiffPart[] = []
  let [row, column] = [0, 0]
  while (row < old.length || column < fresh.length) {
    const [one, other] = [old[row], fresh[column]]
    if (one !== undefined && one === other) {
      parts.push({ kind: 'same', text: one })
      row++
      column++
    } else if (one !== undefined && (other === undefined || at(row + 1, column) >= at(row, column + 1))) {
      parts.push({ kind: 'removed', text: one })
      row++
    } else {
      parts.push({ kind: 'added', text: other ?? '' })
      column++
    }
  }
  return parts
}

/** Neighbours of one kind as one. */
function joined(parts: readonly DiffPart[]): DiffPart[] {
  const all: DiffPart[] = []
  for (const { kind, text } of parts) {
    const last = all.at(-1)
    if (text === '') continue
    if (last?.kind === kind) all[all.length - 1] = { kind, text: last.text + text }
    else all.push({ kind, text })
  }
  return all
}
