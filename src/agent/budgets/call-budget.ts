import type { Approvers } from '../../contract/access/callers.ts'
import type { AgentModel } from '../model-object.ts'
import { toNanoDollars } from '../../contract/usage/cost.ts'
import { callCost } from '../prices/call-cost.ts'
import type { ListPrice } from '../prices/list-prices.ts'

/** What a model call uses. */
export interface CallAmount {
  /** In nano-dollars. */
  readonly costNano: number
  readonly tokens: number
}

export interface BudgetedCall {
  /** The place of the call among those of its run, the same when it is repeated; `undefined` for one that never is. */
  readonly number: number | undefined
  /** What it may use. */
  readonly estimate: CallAmount
}

/** A call that may be made. */
export interface Reservation {
  /** Counts what the call has used in place of its estimate. */
  settle(used: CallAmount): Promise<void>
}

/** A person is asked whether the run may use more. */
export interface BudgetQuestion {
  /** What is used, and what the call may use; in production without amounts. */
  readonly question: string
  /** Whose response counts: of the users, only of the one who asked, or of none. */
  readonly approvedBy: Approvers
  readonly unit: 'usd' | 'tokens'
  /** What fails where nobody can be asked. */
  readonly error: Error
  /** The run may use that much more, in the unit. */
  allow(amount: number): void
}

/** What a call does: it is made, the run continues with another model, or it waits for an answer. */
export type BudgetVerdict = Reservation | { readonly model: AgentModel } | { readonly ask: BudgetQuestion }

/** The budgets of one run. */
export interface CallBudget {
  /** The models that the run may continue with. */
  readonly models: readonly AgentModel[]
  /**
   * Reserves a call.
   *
   * @throws BudgetExceededError when it would exceed a budget that fails.
   */
  reserve(call: BudgetedCall): Promise<BudgetVerdict>
}

/** The part of a model call by which its use is estimated. */
export interface EstimatedCall {
  readonly prompt: unknown
  readonly tools?: unknown
  readonly maxOutputTokens?: number | undefined
}

const CHARACTERS_PER_TOKEN = 4
/** Of calls without `maxOutputTokens`. */
const OUTPUT_TOKENS = 1000

/** What a call may use, before it is made. Without a price it costs nothing. */
export function estimate(
  { prompt, tools, maxOutputTokens: output = OUTPUT_TOKENS }: EstimatedCall,
  price: ListPrice | undefined,
): CallAmount {
  const input = Math.ceil((characters(prompt) + characters(tools)) / CHARACTERS_PER_TOKEN)
  const cost = callCost(price, { input, output, cachedInput: 0, cacheWrite: 0 })
  return { costNano: toNanoDollars(cost ?? 0), tokens: input + output }
}

/** The characters of a value as JSON, about. The contents of files have none: what they cost differs by model. */
function characters(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return value.length
    case 'number':
    case 'boolean':
      return String(value).length
    case 'object':
      break
    default:
      return 0
  }
  if (value === null || ArrayBuffer.isView(value) || value instanceof URL) return 0
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + characters(one), 0)
  let sum = 0
  for (const [key, member] of Object.entries(value)) {
    if (key === 'providerOptions' || (key === 'data' && 'mediaType' in value)) continue
    sum += key.length + characters(member)
  }
  return sum
}
