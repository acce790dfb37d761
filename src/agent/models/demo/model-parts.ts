import type {
  LanguageModelV3CallOptions,
  LanguageModelV3StreamPart,
  LanguageModelV3ToolCall,
  LanguageModelV3Usage,
} from '@ai-sdk/provider'
import { delay } from '../../../lib/clock.ts'

/** All that a model is shown, as one text. */
export function promptText({ prompt }: LanguageModelV3CallOptions): string {
  return JSON.stringify(prompt, (_key, value: unknown) =>
    value instanceof Uint8Array ? `${value.length} bytes` : value,
  )
}

/** About four characters a token, as English has it. */
export function countedUsage(read: string, written: string): LanguageModelV3Usage {
  const input = Math.ceil(read.length / 4)
  const output = Math.ceil(written.length / 4)
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output, reasoning: 0 },
  }
}

/** A text, word by word. */
export function textParts(text: string, id: string): LanguageModelV3StreamPart[] {
  return [
    { type: 'text-start', id },
    ...wordsOf(text).map((delta) => ({ type: 'text-delta', id, delta }) as const),
    { type: 'text-end', id },
  ]
}

/** What a model thinks aloud, word by word. */
export function reasoningParts(text: string, id: string): LanguageModelV3StreamPart[] {
  return [
    { type: 'reasoning-start', id },
    ...wordsOf(text).map((delta) => ({ type: 'reasoning-delta', id, delta }) as const),
    { type: 'reasoning-end', id },
  ]
}

/** A tool call: its input piece by piece, then the whole of it. */
export function toolCallParts(call: LanguageModelV3ToolCall): LanguageModelV3StreamPart[] {
  const { toolCallId: id, toolName, input } = call
  const pieces = input.match(/[^]{1,12}/g) ?? []
  return [
    { type: 'tool-input-start', id, toolName },
    ...pieces.map((delta) => ({ type: 'tool-input-delta', id, delta }) as const),
    { type: 'tool-input-end', id },
    call,
  ]
}

function wordsOf(text: string): string[] {
  return text.match(/\S+\s*|\s+/g) ?? []
}

interface Pace {
  /** How long to wait before each part, in milliseconds. */
  readonly delayMs: number
  readonly signal: AbortSignal | undefined
  /** Where the stream breaks off after its last part, the reason. */
  readonly error?: Error | undefined
}

/** The parts as a stream that makes each when it is asked for. */
export function streamOf(
  parts: readonly LanguageModelV3StreamPart[],
  { delayMs, signal = new AbortController().signal, error }: Pace,
): ReadableStream<LanguageModelV3StreamPart> {
  const rest = parts.values()
  return new ReadableStream({
    async pull(controller) {
      signal.throwIfAborted()
      if (delayMs > 0) await delay(delayMs, signal)
      const { done, value } = rest.next()
      if (done !== true) controller.enqueue(value)
      else if (error) throw error
      else controller.close()
    },
  })
}
