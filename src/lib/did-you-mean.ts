/** The word among `known` that `word` was most likely meant to be. */
export function didYouMean(word: string, known: readonly string[]): string | undefined {
  const scored = known.map((candidate) => ({ candidate, edits: editDistance(word, candidate) }))
  const [best] = scored.toSorted((a, b) => a.edits - b.edits)
  return best && best.edits <= Math.max(1, Math.floor(word.length / 3)) ? best.candidate : undefined
}

/** How many letters have to be put in, taken out, replaced or swapped (Damerau, optimal string alignment). */
function editDistance(from: string, to: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, index) => index)]
  for (let row = 1; row <= from.length; row++) {
    const next = [row]
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      const costs = [
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        ...(swapped ? [(before[column - 2] ?? 0) + 1] : []),
      ]
      next.push(Math.min(...costs))
    }
    ;[before, last] = [last, next]
  }
  return last[to.length] ?? 0
}
