import { distance } from 'fastest-levenshtein'
import { scorer, asText } from './scorer.ts'
import type { Scorer } from './scorer.ts'

/**
 * Scores the share of texts that the output contains, regardless of case; an output that is no text is searched as JSON.
 *
 * @param texts default: `expected` of the case, a text or a list of texts.
 *
 * @example
 * contains(['refund', 'tomorrow'])
 */
export function contains(texts?: string | readonly string[]): Scorer {
  return scorer(
    'contains',
    ({ output, expected }) => {
      const wanted = [texts ?? expected].flat().map((one) => asText(one))
      const text = asText(output).toLowerCase()
      const missing = wanted.filter((one) => !text.includes(one.toLowerCase()))
      if (missing.length === 0) return 1
      const reason = `without ${missing.map((one) => JSON.stringify(one)).join(', ')}`
      return { score: 1 - missing.length / wanted.length, reason }
    },
    { needsExpected: texts === undefined },
  )
}

/**
 * Scores how similar the output and `expected` are, as text: 1 minus their edit distance (Levenshtein) divided by the
 * length of the longer one.
 *
 * @example
 * similar()
 */
export function similar(): Scorer {
  return scorer(
    'similar',
    ({ output, expected }) => {
      const [got, wanted] = [asText(output), asText(expected)]
      const longest = Math.max(got.length, wanted.length)
      return longest === 0 ? 1 : 1 - distance(got, wanted) / longest
    },
    { needsExpected: true },
  )
}
