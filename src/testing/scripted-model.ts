import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3StreamPart,
  LanguageModelV3ToolCall,
  LanguageModelV3Usage,
} from '@ai-sdk/provider'
import {
  estimateUsage,
  promptText,
  reasoningParts,
  streamParts,
  textParts,
  toolCallParts,
} from '../agent/models/demo/model-parts.ts'
import { delay } from '../lib/clock.ts'
import { requireKind, requireObject } from '../lib/require-object.ts'

/** The answer to one call. */
export interface ScriptedTurn {
  /** The reasoning text before the answer. */
  readonly reasoning?: string
  /** Text of the answer. */
  readonly text?: string
  /** A value that is returned as JSON text, for calls with a schema. Replaces `text`. */
  readonly object?: unknown
  /** Tool calls of the answer. */
  readonly toolCalls?: readonly {
    /** Name of the tool. */
    readonly toolName: string
    /** Input of the tool. */
    readonly input: unknown
  }[]
  /** Default: `tool-calls` if there are any, otherwise `stop`. */
  readonly finishReason?: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'
  /** Token counts. Default: one token per four characters. */
  readonly usage?: ScriptedUsage
  /** The delay before the answer, or before each part of a stream, in milliseconds. `Infinity` waits for the abort. */
  readonly delayMs?: number
  /** Fails the call with this error; a stream fails after its other parts. */
  readonly error?: Error
}

/** Token counts of one call. */
export interface ScriptedUsage {
  /** Tokens of the prompt. */
  readonly inputTokens?: number
  /** Tokens of the answer. */
  readonly outputTokens?: number
  /** Tokens of the prompt that were cached. */
  readonly cachedInputTokens?: number
  /** Tokens of the reasoning. */
  readonly reasoningTokens?: number
}

/** A text, an error, a complete turn, or a function that returns one of them for a call. */
export type ScriptedAnswer =
  | string
  | Error
  | ScriptedTurn
  | ((call: LanguageModelV3CallOptions) => string | Error | ScriptedTurn)

/** A model of the AI SDK that records its calls. */
export interface ScriptedModel extends LanguageModelV3 {
  /** The call options of all calls, in order. */
  readonly calls: readonly LanguageModelV3CallOptions[]
  /** The text of the last user message of each call. */
  readonly prompts: readonly string[]
}

/** Options of `scriptedModel`. */
export interface ScriptedModelOptions {
  /** Default: `scripted`. */
  readonly modelId?: string
  /** Whether further calls receive the last answer. Default: `false`; they fail. */
  readonly repeatLast?: boolean
}

/**
 * Creates a model for tests that returns the answers of a script in order, one per call, streamed or not.
 *
 * @example
 * const model = scriptedModel([{ toolCalls: [{ toolName: 'add', input: { a: 2, b: 3 } }] }, 'The sum is 5'])
 * const agent = createAgent({ id: 'sums', name: 'Sums', instructions: 'Add.', model, tools: [add] })
 */
export function scriptedModel(
  script: readonly ScriptedAnswer[],
  options: ScriptedModelOptions = {},
): ScriptedModel {
  requireKind('scriptedModel', 'script', script, 'array')
  requireObject('scriptedModel', 'options', options, { modelId: 'string', repeatLast: 'boolean' })
  const { modelId = 'scripted', repeatLast = false } = options
  const calls: LanguageModelV3CallOptions[] = []
  const next = (call: LanguageModelV3CallOptions): Turn => {
    call.abortSignal?.throwIfAborted()
    const count = calls.push(call)
    const answer = script[count - 1] ?? (repeatLast ? script.at(-1) : undefined)
    if (answer === undefined)
      throw new Error(`The script has ${script.length} answers, but the model was called ${count} times`)
    return turnOf(typeof answer === 'function' ? answer(call) : answer, { call, count })
  }
  return {
    specificationVersion: 'v3',
    provider: 'scripted',
    modelId,
    supportedUrls: {},
    calls,
    get prompts() {
      return calls.map((call) => lastPrompt(call))
    },
    doGenerate: async (call) => {
      const { delayMs, error, content, ...result } = next(call)
      if (delayMs > 0) await delay(delayMs, call.abortSignal ?? new AbortController().signal)
      if (error) throw error
      return { content, ...result, warnings: [], response: { modelId } }
    },
    // oxlint-disable-next-line typescript/require-await -- an abort must reject, not throw
    doStream: async (call) => {
      const { delayMs, error, content, ...end } = next(call)
      if (error && content.length === 0) throw error
      const parts: LanguageModelV3StreamPart[] = [
        { type: 'stream-start', warnings: [] },
        ...content.flatMap((part, index) => partsOf(part, String(index))),
      ]
      if (!error) parts.push({ type: 'finish', ...end })
      return { stream: streamParts(parts, { delayMs, signal: call.abortSignal, error }) }
    },
  }
}

interface Turn {
  readonly content: LanguageModelV3Content[]
  readonly finishReason: { readonly unified: NonNullable<ScriptedTurn['finishReason']>; readonly raw: string }
  readonly usage: LanguageModelV3Usage
  readonly delayMs: number
  readonly error: Error | undefined
}

function turnOf(
  answer: string | Error | ScriptedTurn,
  { call, count }: { call: LanguageModelV3CallOptions; count: number },
): Turn {
  const turn = asTurn(answer)
  const { reasoning, text, object, toolCalls = [], delayMs = 0, error } = turn
  const answerText = object === undefined ? text : JSON.stringify(object)
  const content: LanguageModelV3Content[] = [
    ...(reasoning === undefined ? [] : [{ type: 'reasoning', text: reasoning } as const]),
    ...(answerText === undefined ? [] : [{ type: 'text', text: answerText } as const]),
    ...toolCalls.map(({ toolName, input }, index): LanguageModelV3ToolCall => ({
      type: 'tool-call',
      toolCallId: `call_${count}_${index + 1}`,
      toolName,
      input: JSON.stringify(input),
    })),
  ]
  const { finishReason: reason = toolCalls.length > 0 ? 'tool-calls' : 'stop', usage } = turn
  const counted = estimateUsage(promptText(call), content.map((part) => outputText(part)).join(''))
  return {
    content,
    finishReason: { unified: reason, raw: reason },
    usage: toModelUsage(counted, usage),
    delayMs,
    error,
  }
}

function asTurn(answer: string | Error | ScriptedTurn): ScriptedTurn {
  if (typeof answer === 'string') return { text: answer }
  return answer instanceof Error ? { error: answer } : answer
}

function outputText(part: LanguageModelV3Content): string {
  if (part.type === 'tool-call') return part.input
  return part.type === 'text' || part.type === 'reasoning' ? part.text : ''
}

function toModelUsage(counted: LanguageModelV3Usage, usage: ScriptedUsage = {}): LanguageModelV3Usage {
  const { inputTokens: input = counted.inputTokens.total ?? 0, cachedInputTokens: cached = 0 } = usage
  const { outputTokens: output = counted.outputTokens.total ?? 0, reasoningTokens: reasoning = 0 } = usage
  return {
    inputTokens: { total: input, noCache: input - cached, cacheRead: cached, cacheWrite: 0 },
    outputTokens: { total: output, text: output - reasoning, reasoning },
  }
}

function partsOf(part: LanguageModelV3Content, id: string): LanguageModelV3StreamPart[] {
  if (part.type === 'tool-call') return toolCallParts(part)
  if (part.type === 'text') return textParts(part.text, id)
  return part.type === 'reasoning' ? reasoningParts(part.text, id) : []
}

function lastPrompt({ prompt }: LanguageModelV3CallOptions): string {
  const message = prompt.findLast(({ role }) => role === 'user')
  if (message?.role !== 'user') return ''
  return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}
