import { requireObject } from '../../../lib/require-object.ts'
import { createHash } from 'node:crypto'
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider'
import { planDemo } from './demo-plan.ts'
import type { DemoPlan } from './demo-plan.ts'
import { estimateUsage, promptText, streamParts, textParts, toolCallParts } from './model-parts.ts'

export interface DemoModelOptions {
  /** Default: `demo`. */
  readonly modelId?: string
  /** The delay before each part of a stream, in milliseconds. Default: 0. */
  readonly delayMs?: number
  /** A note appended to every text. */
  readonly note?: string
}

const NOTE =
  'demo model: no language model answered this. Set OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY or OLLAMA_HOST to use one'

/**
 * Creates a model that needs no provider and no key. It repeats the prompt, calls the tool whose name and
 * description match it best, and fills tool arguments and schemas with values from the prompt. It is deterministic:
 * the same prompt always returns the same bytes.
 *
 * @example
 * const agent = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Be brief.', model: demoModel() })
 */
export function demoModel(options: DemoModelOptions = {}): LanguageModelV3 {
  requireObject('demoModel', 'options', options, { modelId: 'string', delayMs: 'number', note: 'string' })
  const { modelId = 'demo', delayMs = 0, note = NOTE } = options
  return {
    specificationVersion: 'v3',
    provider: 'demo',
    modelId,
    supportedUrls: {},
    doGenerate: async (call) => toResult(await createAnswer(call, note), modelId),
    doStream: async (call) => {
      const parts = toParts(await createAnswer(call, note), modelId)
      return { stream: streamParts(parts, { delayMs, signal: call.abortSignal }) }
    },
  }
}

interface Answer {
  readonly plan: DemoPlan
  /** A hash of the prompt and the answer. */
  readonly id: string
  readonly usage: LanguageModelV3Usage
}

async function createAnswer(call: LanguageModelV3CallOptions, note: string): Promise<Answer> {
  call.abortSignal?.throwIfAborted()
  const plan = await planDemo(call, note)
  const prompt = promptText(call)
  const output = plan.kind === 'tool' ? plan.json : plan.text
  const hash = createHash('sha256').update(prompt).update(output)
  return { plan, id: hash.digest('hex').slice(0, 16), usage: estimateUsage(prompt, output) }
}

function finishReasonOf(plan: DemoPlan): LanguageModelV3GenerateResult['finishReason'] {
  const reason = plan.kind === 'tool' ? 'tool-calls' : 'stop'
  return { unified: reason, raw: reason }
}

function toResult({ plan, id, usage }: Answer, modelId: string): LanguageModelV3GenerateResult {
  return {
    content: [plan.kind === 'text' ? { type: 'text', text: plan.text } : toolCall(plan, id)],
    finishReason: finishReasonOf(plan),
    usage,
    warnings: [],
    response: { id: `demo_${id}`, modelId },
  }
}

function toolCall(plan: DemoPlan & { kind: 'tool' }, id: string) {
  return { type: 'tool-call', toolCallId: `call_${id}`, toolName: plan.toolName, input: plan.json } as const
}

function toParts({ plan, id, usage }: Answer, modelId: string): LanguageModelV3StreamPart[] {
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'response-metadata', id: `demo_${id}`, modelId },
    ...(plan.kind === 'text' ? textParts(plan.text, '0') : toolCallParts(toolCall(plan, id))),
    { type: 'finish', finishReason: finishReasonOf(plan), usage },
  ]
}
