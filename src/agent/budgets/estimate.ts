import { toNanoDollars } from '../../contract/usage/cost.ts'
import { callCost } from '../prices/call-cost.ts'
import type { ListPrice } from '../prices/list-prices.ts'
import type { CallAmount } from './call-budget.ts'

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
