import { distance } from 'fastest-levenshtein'
import { scorer, asText } from './scorer.ts'
import type { Scorer } from './scorer.ts'
import { compileSchema, formatIssues } from '../../lib/schema/schema.ts'
import type { Schema } from '../../lib/schema/schema.ts'
import { requireObject } from '../../lib/require-object.ts'
import type { CaseRules } from '../../contract/evals/case.ts'
import { differences } from '../cases/differences.ts'

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

/**
 * Scores 1 if the output is valid for a schema of zod or another Standard Schema library, or a JSON Schema; otherwise 0.
 *
 * @throws AppError `invalid_config` when it is not a schema.
 *
 * @example
 * matchesSchema(z.object({ total: z.number().positive() }))
 */
export function matchesSchema(schema: Schema): Scorer {
  const compiled = compileSchema(schema)
  return scorer('matchesSchema', async ({ output }) => {
    const validation = await compiled.validate(output)
    return validation.ok ? 1 : { score: 0, reason: formatIssues(validation.issues, 'output') }
  })
}

const MAX_SHOWN = 3

/**
 * Scores 1 if the output equals `expected`, otherwise 0. Rules say by JSON pointer (RFC 6901) how single values are
 * compared; `*` stands for any one key or index, and the rules of a case replace these.
 *
 * @example
 * createEval({ id: 'orders', target: { workflow: 'order' }, scorers: [equals({ rules: { '/id': { ignore: true } } })] })
 */
export function equals(
  options: {
    /** How values are compared, by path. */
    readonly rules?: CaseRules | undefined
  } = {},
): Scorer {
  requireObject('equals', 'options', options, { rules: 'object' })
  const { rules = {} } = options
  return scorer(
    'equals',
    async ({ output, expected, rules: ofCase }) => {
      const found = await differences(expected, output, { ...rules, ...ofCase })
      if (found.length === 0) return 1
      const shown = found
        .slice(0, MAX_SHOWN)
        .map(({ pointer, message }) => `${pointer || 'output'}: ${message}`)
      const more = found.length - shown.length
      return { score: 0, reason: [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ') }
    },
    { needsExpected: true },
  )
}
