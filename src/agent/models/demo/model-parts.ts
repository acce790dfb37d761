import type {
  LanguageModelV3CallOptions,
  LanguageModelV3StreamPart,
  LanguageModelV3ToolCall,
  LanguageModelV3Usage,
} from '@ai-sdk/provider'
import { delay } from '../../../lib/clock.ts'

/** The complete prompt as JSON text. */
export function promptText({ prompt }: LanguageModelV3CallOptions): string {
  return JSON.stringify(prompt, (_key, value: unknown) =>
    value instanceof Uint8Array ? `${value.length} bytes` : value,
  )
}

/** Estimates the usage at four characters per token, the average of English text. */
export function estimateUsage(input: string, output: string): LanguageModelV3Usage {
  const inputTokens = Math.ceil(input.length / 4)
  const outputTokens = Math.ceil(output.length / 4)
  return {
    inputTokens: { total: inputTokens, noCache: inputTokens, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: outputTokens, text: outputTokens, reasoning: 0 },
  }
}

/** The stream parts of a text: one per word, and at most 200, each with as many words. */
export function textParts(text: string, id: string): LanguageModelV3StreamPart[] {
  return [
    { type: 'text-start', id },
    ...piecesOf(text).map((delta) => ({ type: 'text-delta', id, delta }) as const),
    { type: 'text-end', id },
  ]
}

/** The stream parts of a reasoning text, split like {@link textParts}. */
export function reasoningParts(text: string, id: string): LanguageModelV3StreamPart[] {
  return [
    { type: 'reasoning-start', id },
    ...piecesOf(text).map((delta) => ({ type: 'reasoning-delta', id, delta }) as const),
    { type: 'reasoning-end', id },
  ]
}

/** The stream parts of a tool call: its input in pieces, then the complete call. */
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

/** A stream of objects repeats the object for each part, so the number of parts is limited. */
const MAX_PIECES = 200

function piecesOf(text: string): string[] {
  const words = text.match(/\S+\s*|\s+/g) ?? []
  const size = Math.max(1, Math.ceil(words.length / MAX_PIECES))
  return Array.from({ length: Math.ceil(words.length / size) }, (_, index) =>
    words.slice(index * size, (index + 1) * size).join(''),
  )
}

interface StreamOptions {
  /** The delay before each part, in milliseconds. */
  readonly delayMs: number
  readonly signal: AbortSignal | undefined
  /** Fails the stream after its last part. */
  readonly error?: Error | undefined
}

/** A stream of the parts that produces each part when it is read. */
export function streamParts(
  parts: readonly LanguageModelV3StreamPart[],
  { delayMs, signal = new AbortController().signal, error }: StreamOptions,
): ReadableStream<LanguageModelV3StreamPart> {
  const iterator = parts.values()
  return new ReadableStream({
    async pull(controller) {
      signal.throwIfAborted()
      if (delayMs > 0) await delay(delayMs, signal)
      const { done, value } = iterator.next()
      if (done !== true) controller.enqueue(value)
      else if (error) throw error
      else controller.close()
    },
  })
}
