import { requireObject } from '../lib/require-object.ts'
import { ID_RULE, isId } from '../lib/ids.ts'
import type { Awaitable } from '../lib/async/awaitable.ts'
import type { Case, CaseTarget } from '../contract/evals/case.ts'
import { CaseTarget as TargetSchema } from '../contract/evals/case.ts'
import { equals } from './scorers/output-scorers.ts'
import { scorer } from './scorers/scorer.ts'
import type { Scorer } from './scorers/scorer.ts'

/** A case in code: the target is that of the eval unless it has its own. */
export type InlineCase = Omit<Case, 'target' | 'scorers'> & {
  /** Shown in reports. Default: its place in the list. */
  readonly id?: string
  /** Target of the case. Default: that of the eval. */
  readonly target?: CaseTarget
}

/** Options of `createEval`. */
export interface EvalConfig {
  /** Unique in the project, and not `runs`. */
  readonly id: string
  /** What the cases run: of case files, only those with this target are used. */
  readonly target: CaseTarget
  /** A glob of case files, from the project's directory; a list of cases; or a function that returns it. */
  readonly cases: string | readonly InlineCase[] | (() => Awaitable<readonly InlineCase[]>)
  /** Default: `[equals()]`. The `scorers` of a case file are used instead. */
  readonly scorers?: readonly Scorer[]
  /** How many cases run at the same time. Default: 8. */
  readonly concurrency?: number
  /** The least mean score, from 0 to 1, with which the eval passes. Default: 1. */
  readonly threshold?: number
}

const EVAL = Symbol.for('agentserver.eval')

/** Cases, and how their outputs are scored. Created by `createEval`. */
export interface Eval extends Required<EvalConfig> {
  readonly [EVAL]: true
}

const DEFAULT_CONCURRENCY = 8
const MAX_CONCURRENCY = 1000
const RESERVED_ID = 'runs'
const OPTIONS = ['id', 'target', 'cases', 'scorers', 'concurrency', 'threshold']

/**
 * Declares an eval in a file `*.eval.ts` of the project, as default or named export. `agentserver eval` runs it.
 *
 * @throws TypeError naming the option that is not valid.
 *
 * @example
 * export default createEval({
 *   id: 'refunds',
 *   target: { agent: 'support' },
 *   cases: 'cases/refunds/*.json',
 *   scorers: [toolCalls(['refund']), llmJudge({ criteria: 'Polite.', model: 'openai/gpt-5-mini' })],
 *   threshold: 0.9,
 * })
 */
export function createEval(config: EvalConfig): Eval {
  requireObject('createEval', 'config', config)
  const { id, target, cases, scorers = [equals()] } = config
  const { concurrency = DEFAULT_CONCURRENCY, threshold = 1 } = config
  const invalid = (problem: string) => new TypeError(`createEval(): ${problem}`)
  const unknown = Object.keys(config).find((key) => !OPTIONS.includes(key))
  if (unknown !== undefined) throw invalid(`unknown option "${unknown}"; there are ${OPTIONS.join(', ')}`)
  if (!isId(id)) throw invalid(`id must be ${ID_RULE}`)
  // the paths of runs begin with it
  if (id === RESERVED_ID) throw invalid(`id must not be "${RESERVED_ID}"`)
  const parsed = TargetSchema.safeParse(target)
  if (!parsed.success) throw invalid('target must be { workflow: id }, { agent: id } or { tool: id }')
  if (!(typeof cases === 'string' || Array.isArray(cases) || typeof cases === 'function'))
    throw invalid('cases must be a glob of case files, a list of cases, or a function that returns it')
  if (!Array.isArray(scorers) || scorers.length === 0 || scorers.some((one) => typeof one !== 'function'))
    throw invalid('scorers must be a list of one or more functions')
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > MAX_CONCURRENCY)
    throw invalid(`concurrency must be a whole number from 1 to ${MAX_CONCURRENCY}`)
  if (!(threshold >= 0 && threshold <= 1)) throw invalid('threshold must be a number from 0 to 1')
  const named = scorers.map((one, index) => withName(one, `scorers[${index}]`))
  return { [EVAL]: true, id, target, cases, scorers: named, concurrency, threshold }
}

/** A function without a name has that of its position in reports and errors. */
function withName(one: Scorer, position: string): Scorer {
  return one.name === '' ? scorer(position, (scored) => one(scored), one) : one
}

/** Whether a value was created by `createEval`. */
export function isEval(value: unknown): value is Eval {
  return typeof value === 'object' && value !== null && EVAL in value
}
