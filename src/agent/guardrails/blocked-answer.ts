import type { ModelOrigin } from '../models/model-choice.ts'
import type { Generated } from '../answer/generated.ts'
import { sumUsage } from '../answer/usage.ts'
import type { Usage } from '../../contract/agent-event.ts'

interface BlockedParts {
  /** The reason that the guardrail gave. */
  readonly reason: string
  /** The usage of the calls until then. */
  readonly usage: readonly Usage[]
  readonly model: { readonly provider: string; readonly modelId: string; readonly origin: ModelOrigin }
}

/** The answer when a guardrail blocked the input or the answer: it has nothing of what the model generated. */
export function blockedAnswer({ reason, usage, model }: BlockedParts): Generated {
  const { provider, modelId, origin } = model
  return {
    text: '',
    reasoning: undefined,
    object: undefined,
    usage: sumUsage(usage),
    finishReason: 'guardrail',
    reason,
    model: { provider, modelId, origin },
    steps: [],
    messages: [],
  }
}
