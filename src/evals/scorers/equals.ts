import { requireObject } from '../../lib/require-object.ts'
import type { CaseRules } from '../../contract/evals/case.ts'
import { differences } from '../cases/differences.ts'
import { scorer } from './scorer.ts'
import type { Scorer } from './scorer.ts'

const MAX_SHOWN = 3

/**
 * Scores 1 if the output equals `expected`, otherwise 0. Rules say by JSON pointer (RFC 6901) how single values are
 * compared; `*` stands for any one key or index, and the rules of a case replace these.
 *
 * @example
 * createEval({ id: 'orders', target: { workflow: 'order' }, scorers: [equals({ rules: { '/id': { ignore: true } } })] })
 */
export function equals(options: { readonly rules?: CaseRules | undefined } = {}): Scorer {
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
