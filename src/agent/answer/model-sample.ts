import type * as Ai from 'ai'
import type { Usage } from '../../contract/agent-event.ts'
import { startDeadline } from '../../lib/async/deadline.ts'
import { AppError } from '../../lib/errors.ts'
import type { LimitedModels } from '../budgets/limited-model.ts'
import { MAX_MODEL_RETRIES } from '../models/fallback-model.ts'
import { translateError } from '../models/provider-error.ts'
import type { Sample, SampleContent, SampleRequest, SampleResult } from '../tools/elicitation.ts'
import { fromSdkUsage, sumUsage } from './usage.ts'

interface ModelSampleDeps {
  readonly ai: typeof Ai
  readonly models: LimitedModels
  readonly signal: AbortSignal
  readonly redact: (text: string) => string
  /** Called with the usage of each completion. */
  readonly count: (usage: Usage) => void
}

const TIMEOUT_MS = 5 * 60_000

/** The reasons of the AI SDK that have a name in MCP. */
const STOP_REASONS: Readonly<Partial<Record<Ai.FinishReason, string>>> = {
  stop: 'endTurn',
  length: 'maxTokens',
}

/** The completions of an agent's tools, by the agent's model. */
export function modelSample({ ai, models, signal, redact, count }: ModelSampleDeps): Sample {
  return async ({ messages, maxTokens, timeoutMs = TIMEOUT_MS, ...request }): Promise<SampleResult> => {
    const { systemPrompt: system, temperature, stopSequences } = request
    const timeout = () => new AppError('unavailable', `The model did not respond within ${timeoutMs} ms`)
    const deadline = startDeadline(timeoutMs, signal, timeout)
    try {
      const { text, finishReason, steps } = await ai.generateText({
        model: models.model as Ai.LanguageModel,
        messages: messages.map((message) => toModelMessage(message)),
        maxOutputTokens: maxTokens,
        maxRetries: MAX_MODEL_RETRIES,
        abortSignal: deadline.signal,
        ...(system !== undefined && { system }),
        ...(temperature !== undefined && { temperature }),
        ...(stopSequences && { stopSequences: [...stopSequences] }),
      })
      count(sumUsage(steps.map((step) => fromSdkUsage(step))))
      const { provider, modelId } = models.current
      const content = { type: 'text', text } as const
      return {
        role: 'assistant',
        content,
        model: `${provider}/${modelId}`,
        stopReason: STOP_REASONS[finishReason] ?? finishReason,
      }
    } catch (error) {
      deadline.signal.throwIfAborted()
      throw translateError(error, { ai, model: models.current, redact })
    } finally {
      deadline.clear()
    }
  }
}

function toModelMessage({ role, content }: SampleRequest['messages'][number]): Ai.ModelMessage {
  return { role, content: [toPart(content)] }
}

function toPart(content: SampleContent): Ai.TextPart | Ai.FilePart {
  if (content.type === 'text') return content
  return { type: 'file', data: content.data, mediaType: content.mimeType }
}
