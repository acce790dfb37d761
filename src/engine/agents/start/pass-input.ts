import type * as Ai from 'ai'
import type { Agent } from '../../../agent/agent.ts'
import { promptOf, toModelMessages } from '../../../agent/answer/to-model-messages.ts'
import { guardInput } from '../../../agent/guardrails/guard-input.ts'
import { BlockSignal } from '../../../agent/guardrails/guardrail.ts'
import { chooseModels, type ModelChoice, type ModelSettings } from '../../../agent/models/model-choice.ts'
import { modelList } from '../../../agent/resolve-agent.ts'
import { AppError } from '../../../lib/errors.ts'
import type { AgentCall } from '../agent-call.ts'

/** The messages that pass the input guardrails, or the signal of the one that blocked. */
export async function passInput(
  agent: Agent,
  call: AgentCall,
  { ai, sent }: { readonly ai: typeof Ai; readonly sent: readonly Ai.ModelMessage[] },
): Promise<readonly Ai.ModelMessage[] | BlockSignal> {
  const { guardrails, id: agentId } = agent
  if (guardrails.input.length + guardrails.output.length === 0) return sent
  const { context = {}, conversationId } = call.options ?? {}
  try {
    return await guardInput(sent, {
      agentId,
      guardrails,
      request: { user: call.user, context, conversationId, signal: call.signal },
      isList: typeof call.input !== 'string',
      readMessages: (messages) => toModelMessages(messages, { ai, inputPath: 'replace' }),
    })
  } catch (error) {
    if (error instanceof BlockSignal) return error
    throw error
  }
}

interface InputMessages {
  readonly sent: readonly Ai.ModelMessage[]
  /** Those that passed the guardrails. */
  readonly received: readonly Ai.ModelMessage[]
  /** Those that became part of the conversation. */
  readonly taken: readonly Ai.ModelMessage[]
}

/** What is recorded of an input: as it was sent, unless a guardrail has replaced it or earlier messages were not taken. */
export function recordedInput(
  { input }: AgentCall,
  { sent, received, taken }: InputMessages,
): AgentCall['input'] {
  if (taken === sent) return input
  if (typeof input === 'string') return taken.length === 1 ? promptOf(taken) : taken
  // the new messages of the user are one message each
  const isSent = received === sent && taken.every(({ role }) => role === 'user')
  return isSent ? input.slice(input.length - taken.length) : taken
}

/** The model that would have been called first for a request that is blocked. */
export function modelOfBlocked({ model }: Agent, settings: ModelSettings): ModelChoice {
  const none: ModelChoice = { provider: 'none', modelId: 'none', origin: 'agent' }
  if (typeof model === 'function') return none
  try {
    return chooseModels(modelList(model), settings)[0] ?? none
  } catch (error) {
    if (error instanceof AppError) return none
    throw error
  }
}
