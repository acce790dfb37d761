/** Shorter beginnings match too many names. */
const MIN_BEGINNING = 3

/** The most similar of the `known` words, for suggestions in error messages. Undefined if none is similar. */
export function didYouMean(word: string, known: readonly string[]): string | undefined {
  return similarWords(word, known)[0]
}

/** The known words that differ from a word by the fewest typing errors, else those that it abbreviates or is a part of. */
export function similarWords(word: string, known: readonly string[]): string[] {
  const misspelled = misspelledWords(word, known)
  if (misspelled.length > 0 || word.replaceAll('-', '').length < MIN_BEGINNING) return misspelled
  return known.filter((name) => isPartOf(word.toLowerCase(), name.toLowerCase()))
}

/** The known words that differ from a word by the fewest typing errors. */
export function misspelledWords(word: string, known: readonly string[]): string[] {
  const typed = word.toLowerCase()
  const scored = known.map((candidate) => ({
    candidate,
    edits: editDistance(typed, candidate.toLowerCase()),
  }))
  const best = Math.min(...scored.map(({ edits }) => edits))
  if (!isTypingError(typed, best)) return []
  return scored.filter(({ edits }) => edits === best).map(({ candidate }) => candidate)
}

function isTypingError(word: string, edits: number): boolean {
  return edits < word.length && edits <= Math.max(1, Math.floor(word.length / 3))
}

/** `run` and `workflow` are parts of `run-workflow`, and `exec-id` abbreviates `execution-id`. */
function isPartOf(word: string, name: string): boolean {
  const [typed, parts] = [word.split('-'), name.split('-')]
  return (
    typed.every((part, index) => parts[index]?.startsWith(part)) ||
    (typed.length === 1 && parts.some((part) => isTypingError(word, editDistance(word, part))))
  )
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
