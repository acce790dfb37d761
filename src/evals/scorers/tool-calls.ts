import { requireKind, requireObject } from '../../lib/require-object.ts'
import { differences } from '../cases/differences.ts'
import { scorer, asText } from './scorer.ts'
import type { Scorer, TracedToolCall } from './scorer.ts'

/** An expected call: the name of the tool, alone or with its arguments. */
export type ExpectedToolCall =
  | string
  | {
      /** Name of the tool. */
      readonly toolName: string
      /** Expected input, with all its members. Default: it is not compared. */
      readonly input?: unknown
    }

export interface ToolCallsOptions {
  /** Whether the order of the calls does not matter. Default: `false`. */
  readonly anyOrder?: boolean
  /** Whether other calls may be made between these. Default: `false`. */
  readonly allowOthers?: boolean
}

/**
 * Scores which tools were called, in which order, with what: the share of calls that are as expected.
 *
 * @example
 * toolCalls(['findOrder', { toolName: 'refund', input: { orderId: 'A-1' } }])
 */
export function toolCalls(expected: readonly ExpectedToolCall[], options: ToolCallsOptions = {}): Scorer {
  requireKind('toolCalls', 'expected', expected, 'array')
  requireObject('toolCalls', 'options', options, { anyOrder: 'boolean', allowOthers: 'boolean' })
  const { anyOrder = false, allowOthers = false } = options
  return scorer('toolCalls', async ({ trace }) => {
    const left = [...trace.toolCalls]
    let missing = 0
    for (const one of expected) {
      const index = await indexOf(one, left, { anyOrder, allowOthers })
      if (index === -1) missing++
      else if (anyOrder) left.splice(index, 1)
      else left.splice(0, index + 1)
    }
    const wrong = Math.max(missing, allowOthers ? 0 : left.length)
    if (wrong === 0) return 1
    const calls = Math.max(expected.length, trace.toolCalls.length)
    const reason = `expected ${listed(expected.map((one) => asText(one)))}; called ${listed(trace.toolCalls.map(({ toolName }) => toolName))}`
    return { score: Math.max(0, 1 - wrong / calls), reason }
  })
}

async function indexOf(
  expected: ExpectedToolCall,
  calls: readonly TracedToolCall[],
  { anyOrder, allowOthers }: Required<ToolCallsOptions>,
): Promise<number> {
  const candidates = anyOrder || allowOthers ? calls.length : Math.min(1, calls.length)
  for (let index = 0; index < candidates; index++) {
    const call = calls[index]
    if (call && (await isCall(expected, call))) return index
  }
  return -1
}

async function isCall(expected: ExpectedToolCall, { toolName, input }: TracedToolCall): Promise<boolean> {
  if (nameOf(expected) !== toolName) return false
  if (typeof expected === 'string' || expected.input === undefined) return true
  return (await differences(expected.input, input)).length === 0
}

function listed(names: readonly string[]): string {
  return names.join(', ') || 'no tool'
}

function nameOf(call: ExpectedToolCall): string {
  return typeof call === 'string' ? call : call.toolName
}
