import { HOUR_MS } from '../../lib/clock.ts'
import { DURATION_RULE, parseDuration } from '../../lib/duration.ts'
import type { Duration } from '../../lib/duration.ts'
import type { AgentModel } from '../model-object.ts'
import { modelProblems } from '../models/model-problems.ts'

/** What has one use of a budget. */
export type BudgetPer = 'run' | 'user' | 'agent' | 'project'

/**
 * A limit of what model calls may use: those of an agent, of the steps of a workflow, or of the whole project, depending on
 * where it is declared.
 *
 * @example
 * budgets: [
 *   { per: 'user', usd: 1, every: '24h' },
 *   { per: 'run', tokens: 50_000, onLimit: { model: 'openai/gpt-5-mini' } },
 * ]
 */
export interface Budget {
  /**
   * What has its own use: each `run` (an answer, or an execution with its children), each `user`, each `agent`, or all
   * together (`project`).
   */
  readonly per: BudgetPer
  /** US dollars. Calls of models without a price count nothing. */
  readonly usd?: number
  /** Tokens of prompts and answers. */
  readonly tokens?: number
  /**
   * The window in which use counts, in whole hours, such as `24h` or `30d`; at most 366 days. Required, but for `per: 'run'`,
   * which has none.
   */
  readonly every?: Duration
  /**
   * What a call does that would exceed the limit: it fails with a `BudgetExceededError` (the default); it waits until a person
   * allows more (`'ask'`), where the answer is recorded, and fails elsewhere; or the run continues with a cheaper model, which
   * this budget no longer limits.
   */
  readonly onLimit?:
    | 'fail'
    | 'ask'
    | {
        /** Model that is used once the budget is spent. */
        readonly model: AgentModel
      }
}

const PER: readonly string[] = ['run', 'user', 'agent', 'project'] satisfies BudgetPer[]
const OPTIONS: readonly string[] = ['per', 'usd', 'tokens', 'every', 'onLimit'] satisfies (keyof Budget)[]
const MAX_HOURS = 366 * 24

/** The model with which runs continue at the limit of a budget, if they do. */
export function modelAtLimit({ onLimit }: Pick<Budget, 'onLimit'>): AgentModel | undefined {
  return typeof onLimit === 'object' ? onLimit.model : undefined
}

/** The length of a budget's window in hours; `null` for none. */
export function windowHours({ every }: Pick<Budget, 'every'>): number | null {
  return every === undefined ? null : (parseDuration(every) ?? 0) / HOUR_MS
}

/** The problems of the option `budgets`. Each names its place in it. */
export function budgetsProblems(budgets: unknown): string[] {
  if (budgets === undefined) return []
  if (!Array.isArray(budgets)) return ['budgets must be an array']
  return budgets.flatMap((budget: unknown, index) =>
    budgetProblems(budget).map((problem) => `budgets[${index}]${problem}`),
  )
}

function budgetProblems(budget: unknown): string[] {
  if (typeof budget !== 'object' || budget === null) return [' must be an object']
  const { per, usd, tokens, every, onLimit } = budget as Readonly<Record<string, unknown>>
  const unknown = Object.keys(budget).filter((key) => !OPTIONS.includes(key))
  const rules: readonly (readonly [boolean, string])[] = [
    [unknown.length === 0, `: unknown option "${unknown[0]}"; the options are ${OPTIONS.join(', ')}`],
    [PER.includes(per as string), `.per must be one of ${PER.map((one) => `'${one}'`).join(', ')}`],
    [usd !== undefined || tokens !== undefined, ' must have usd or tokens'],
    [usd === undefined || isPositive(usd), '.usd must be a number above 0'],
    [
      tokens === undefined || (Number.isSafeInteger(tokens) && isPositive(tokens)),
      '.tokens must be a whole number above 0',
    ],
    [
      per !== 'run' || every === undefined,
      `.every must be left out with per: 'run': the use of a run counts until the run ends`,
    ],
    [
      !PER.includes(per as string) || per === 'run' || every !== undefined,
      `.every is required with per: '${String(per)}', such as '24h'`,
    ],
    [
      every === undefined || isWindow(every),
      `.every must be whole hours, at most 366 days: ${DURATION_RULE}`,
    ],
  ]
  return [...rules.filter(([kept]) => !kept).map(([, rule]) => rule), ...onLimitProblems(onLimit)]
}

function isPositive(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value > 0
}

function isWindow(every: unknown): boolean {
  const hours = (parseDuration(every) ?? 0) / HOUR_MS
  return Number.isInteger(hours) && hours > 0 && hours <= MAX_HOURS
}

function onLimitProblems(onLimit: unknown): string[] {
  if (onLimit === undefined || onLimit === 'fail' || onLimit === 'ask') return []
  if (typeof onLimit !== 'object' || onLimit === null || !('model' in onLimit))
    return [`.onLimit must be 'fail', 'ask' or { model }`]
  const { model } = onLimit
  if (Array.isArray(model)) return ['.onLimit.model must be one model']
  return modelProblems(model).map((problem) => `.onLimit.${problem}`)
}
