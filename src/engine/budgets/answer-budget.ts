import type { Logger } from 'pino'
import { modelAtLimit } from '../../agent/budgets/budget.ts'
import type { Budget } from '../../agent/budgets/budget.ts'
import { BudgetExceededError } from '../../agent/budgets/budget-exceeded-error.ts'
import type {
  BudgetedCall,
  BudgetQuestion,
  BudgetVerdict,
  CallAmount,
  CallBudget,
} from '../../agent/budgets/call-budget.ts'
import type { AgentModel } from '../../agent/model-object.ts'
import { formatCost, fromNanoDollars, toNanoDollars } from '../../contract/usage/cost.ts'
import type { Clock } from '../../lib/clock.ts'
import type { NewId } from '../../lib/ids.ts'
import { HOUR_MS } from '../../lib/clock.ts'
import type { BudgetCounter, BudgetLimit, BudgetStore, HourUse } from '../../store/budget-store.ts'
import type { EngineMeter } from '../engine-meter.ts'

/** A budget that a run counts for. */
export interface BudgetLine {
  readonly budget: Budget
  readonly counter: BudgetCounter
  /** The limits; `null` for none. */
  readonly costNano: number | null
  readonly tokens: number | null
  /** The length of its window; `null` for a run. */
  readonly hours: number | null
}

interface AnswerBudgetDeps {
  readonly store: BudgetStore
  readonly clock: Clock
  readonly newId: NewId
  readonly logger: Logger
  readonly meter: EngineMeter
  /** Questions to people name no amounts. */
  readonly production?: boolean
}

/** A budget that a call would exceed. */
interface Refusal {
  readonly line: BudgetLine
  readonly hours: readonly HourUse[]
  readonly estimate: CallAmount
}

/** The budgets of one run. */
export class AnswerBudget implements CallBudget {
  readonly #runId: string
  readonly #lines: readonly BudgetLine[]
  readonly #deps: AnswerBudgetDeps
  /** Those that no longer limit the run, which has gone on with another model. */
  readonly #passed = new Set<BudgetLine>()
  /** What people have allowed the run beyond its limits. */
  readonly #allowed = new Map<BudgetLine, CallAmount>()

  constructor(runId: string, lines: readonly BudgetLine[], deps: AnswerBudgetDeps) {
    this.#runId = runId
    this.#lines = lines
    this.#deps = deps
  }

  get models(): readonly AgentModel[] {
    return this.#lines.flatMap(({ budget }) => modelAtLimit(budget) ?? [])
  }

  async reserve({ number, estimate }: BudgetedCall): Promise<BudgetVerdict> {
    const { store, clock, newId } = this.#deps
    const call = `${this.#runId}:${number ?? newId()}`
    const hour = Math.floor(clock.now() / HOUR_MS)
    const limits = this.#lines.map((line) => this.#limitAt(line, hour))
    const exceeded = await store.reserve({ call, hour, amount: estimate, limits })
    if (exceeded.length === 0) return { settle: (used) => this.#settle(call, used) }
    const refusals = exceeded.map(({ index, hours }) => ({
      line: this.#lines[index] as BudgetLine,
      hours,
      estimate,
    }))
    return this.#decide(refusals)
  }

  /** What the call does that budgets refuse. One that fails decides. */
  #decide(refusals: readonly Refusal[]): BudgetVerdict {
    const { clock, meter } = this.#deps
    for (const { line } of refusals) meter.budgetExceeded(line.counter)
    const failing = refusals.find(({ line: { budget } }) => (budget.onLimit ?? 'fail') === 'fail')
    if (failing) throw exceededError(failing, clock.now())
    const asking = refusals.find(({ line: { budget } }) => budget.onLimit === 'ask')
    if (asking) return { ask: this.#question(asking) }
    for (const { line } of refusals) this.#passed.add(line)
    const [model] = refusals.flatMap(({ line: { budget } }) => modelAtLimit(budget) ?? [])
    return { model: model as AgentModel }
  }

  #question({ line, ...refusal }: Refusal): BudgetQuestion {
    const isCost = usedOf({ line, ...refusal }).cost !== undefined
    const { clock, logger, production } = this.#deps
    const error = exceededError({ line, ...refusal }, clock.now())
    const used = `${nameOf(line)}: ${usedText({ line, ...refusal })}`
    logger.info({ runId: this.#runId }, `A person is asked to allow more. ${used}`)
    return {
      question: production ? 'The budget for this request is used up' : used,
      approvedBy: line.counter.per === 'run' ? 'asker' : 'operators',
      unit: isCost ? 'usd' : 'tokens',
      error,
      allow: (amount) => {
        const before = this.#allowed.get(line) ?? { costNano: 0, tokens: 0 }
        this.#allowed.set(line, {
          costNano: before.costNano + (isCost ? toNanoDollars(amount) : 0),
          tokens: before.tokens + (isCost ? 0 : amount),
        })
      },
    }
  }

  #limitAt(line: BudgetLine, hour: number): BudgetLimit {
    const { counter, costNano, tokens, hours } = line
    const isPassed = this.#passed.has(line)
    const { costNano: moreNano = 0, tokens: moreTokens = 0 } = this.#allowed.get(line) ?? {}
    return {
      ...counter,
      fromHour: hours === null ? 0 : hour - hours + 1,
      untilHour: hours === null ? null : hour + hours,
      costNano: isPassed || costNano === null ? null : costNano + moreNano,
      tokens: isPassed || tokens === null ? null : tokens + moreTokens,
    }
  }

  /** A call that can't be settled counts as it was estimated. */
  async #settle(call: string, used: CallAmount): Promise<void> {
    try {
      await this.#deps.store.settle(call, used)
    } catch (err) {
      this.#deps.logger.warn(
        { err, runId: this.#runId },
        'What a model call used could not be stored: budgets count its estimate',
      )
    }
  }
}

function exceededError(refusal: Refusal, now: number): BudgetExceededError {
  const { line } = refusal
  const retryAfterS = retryAfter(refusal, now)
  const option = usedOf(refusal).cost === undefined ? 'tokens' : 'usd'
  const when = retryAfterS === undefined ? '' : `, or try again in ${retryAfterS} s`
  return new BudgetExceededError(
    `${nameOf(line)} does not allow the next call: ${usedText(refusal)}. Raise "${option}" in its "budgets"${when}`,
    { retryAfterS },
  )
}

function usedText(refusal: Refusal): string {
  const { cost, tokens } = usedOf(refusal)
  return [cost, tokens].filter((text) => text !== undefined).join('; ')
}

/** What is used of the limits that a call would exceed. */
function usedOf({ line, hours, estimate }: Refusal) {
  const sum = (of: keyof CallAmount) => hours.reduce((total, one) => total + one[of], 0)
  const cost = exceededText(line.costNano, sum('costNano'), estimate.costNano, {
    text: (nano) => formatCost(fromNanoDollars(nano)),
    unit: 'is used, and it may cost',
  })
  const tokens = exceededText(line.tokens, sum('tokens'), estimate.tokens, {
    text: (count) => count.toLocaleString('en-US'),
    unit: 'tokens are used, and it may use',
  })
  return { cost, tokens }
}

/** A budget in messages. */
function nameOf({ counter: { declaredOn, per, subject }, budget: { every } }: BudgetLine): string {
  const name = [
    declaredOn === 'config' ? 'the configuration' : declaredOn.replace(/ (.*)/, ' "$1"'),
    `per ${per}${subject === '' || declaredOn === `agent ${subject}` ? '' : ` "${subject}"`}`,
    ...(every === undefined ? [] : [`every ${typeof every === 'number' ? `${every} ms` : every}`]),
  ].join(', ')
  return `The budget of ${name}`
}

interface AmountText {
  readonly text: (amount: number) => string
  readonly unit: string
}

/** What is used of a limit that a call would exceed; `undefined` if it would not. */
function exceededText(
  limit: number | null,
  used: number,
  next: number,
  { text, unit }: AmountText,
): string | undefined {
  if (limit === null || used + next <= limit) return undefined
  return `${text(used)} of ${text(limit)} ${unit} ${text(next)}`
}

/** Seconds until enough of the window has passed for the call; `undefined` if it never fits. */
function retryAfter({ line, hours, estimate }: Refusal, now: number): number | undefined {
  if (line.hours === null) return undefined
  let costNano = estimate.costNano - (line.costNano ?? Infinity)
  let tokens = estimate.tokens - (line.tokens ?? Infinity)
  if (costNano > 0 || tokens > 0) return undefined
  for (const { hour, ...used } of hours.toReversed()) {
    costNano += used.costNano
    tokens += used.tokens
    // this hour, and those before it, have to pass
    if (costNano > 0 || tokens > 0)
      return Math.max(1, Math.ceil(((hour + line.hours) * HOUR_MS - now) / 1000))
  }
  return undefined
}
