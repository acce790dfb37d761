/** The most similar of the `known` words, for suggestions in error messages. Undefined if none is similar. */
export function didYouMean(word: string, known: readonly string[]): string | undefined {
  const scored = known.map((candidate) => ({ candidate, edits: editDistance(word, candidate) }))
  const [best] = scored.toSorted((a, b) => a.edits - b.edits)
  return best && best.edits <= Math.max(1, Math.floor(word.length / 3)) ? best.candidate : undefined
}

/** The Damerau–Levenshtein distance (optimal string alignment): insertions, deletions, substitutions, transpositions. */
function editDistance(from: string, to: string): number {
  let [beforePrevious, previous]: [number[], number[]] = [
    [],
    Array.from({ length: to.length + 1 }, (_, index) => index),
  ]
  for (let row = 1; row <= from.length; row++) {
    const next = [row]
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      const transposed = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      const costs = [
        (previous[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
        ...(transposed ? [(beforePrevious[column - 2] ?? 0) + 1] : []),
      ]
      next.push(Math.min(...costs))
    }
    ;[beforePrevious, previous] = [previous, next]
  }
  return previous[to.length] ?? 0
}
