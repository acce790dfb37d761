/** Shorter beginnings match too many names. */
const MIN_BEGINNING = 3

/** The most similar of the `known` words, for suggestions in error messages. Undefined if none is similar. */
export function didYouMean(word: string, known: readonly string[]): string | undefined {
  return similarWords(word, known)[0]
}

/** The known words that differ from a word by the fewest typing errors, else those that begin with it or end with it. */
export function similarWords(word: string, known: readonly string[]): string[] {
  const typed = word.toLowerCase()
  const scored = known.map((candidate) => ({
    candidate,
    edits: editDistance(typed, candidate.toLowerCase()),
  }))
  const best = Math.min(...scored.map(({ edits }) => edits))
  if (best < word.length && best <= Math.max(1, Math.floor(word.length / 3)))
    return scored.filter(({ edits }) => edits === best).map(({ candidate }) => candidate)
  return typed.replaceAll('-', '').length < MIN_BEGINNING
    ? []
    : known.filter((name) => isPartOf(typed, name.toLowerCase()))
}

function isPartOf(word: string, name: string): boolean {
  return name.startsWith(word) || name.endsWith(`-${word}`)
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
