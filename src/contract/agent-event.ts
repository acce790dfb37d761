import { z } from 'zod'

/** A cost in US dollars. */
export const Cost = z
  .number()
  .nullable()
  .describe('Cost in US dollars; null when the price of a model is unknown')

/** Tokens used by a response, and their cost, sub-agents included. Counts that the provider does not report are 0. */
export const Usage = z
  .object({
    inputTokens: z.int().describe('Tokens of the prompts, cached ones included'),
    outputTokens: z.int().describe('Generated tokens, reasoning included'),
    totalTokens: z.int(),
    cachedInputTokens: z.int().describe("Input tokens read from the provider's cache"),
    reasoningTokens: z.int().describe('Output tokens used for reasoning'),
    costUsd: Cost,
  })
  .meta({ id: 'Usage' })
export type Usage = z.infer<typeof Usage>

/** Why the model stopped. */
export const FinishReason = z.enum(['stop', 'length', 'content-filter', 'tool-calls', 'error', 'other'])
export type FinishReason = z.infer<typeof FinishReason>

/** Fields of the last part of a stream, about the whole response. */
const Summary = {
  id: z.string().describe('Id of the run in the history'),
  finishReason: FinishReason,
  usage: Usage,
  model: z.string().describe('Model as `provider/model`'),
  traceId: z.string().describe('Trace of the run'),
}

const part = <T extends string, S extends z.core.$ZodLooseShape>(type: T, shape: S) =>
  z.looseObject({ type: z.literal(type), ...shape })
const ofText = { id: z.string() }
const ofTool = { toolCallId: z.string(), toolName: z.string() }

const Failed = z.object({ type: z.literal('error'), error: z.string() })
const Aborted = z.looseObject({ type: z.literal('abort') })

/** Parts of a text response, as in the AI SDK's full stream. */
export const AgentStreamPart = z
  .union([
    part('start', {}),
    part('start-step', {}),
    part('text-start', ofText),
    part('text-delta', { ...ofText, text: z.string() }),
    part('text-end', ofText),
    part('reasoning-start', ofText),
    part('reasoning-delta', { ...ofText, text: z.string() }),
    part('reasoning-end', ofText),
    part('tool-input-start', { ...ofText, toolName: z.string() }),
    part('tool-input-delta', { ...ofText, delta: z.string() }),
    part('tool-input-end', ofText),
    part('tool-call', { ...ofTool, input: z.unknown() }),
    part('tool-result', { ...ofTool, output: z.unknown() }),
    part('tool-error', { ...ofTool, error: z.string() }),
    part('source', {}),
    part('file', { file: z.object({ mediaType: z.string(), base64: z.string() }) }),
    part('finish-step', { finishReason: FinishReason }),
    part('finish', Summary),
    Aborted,
    Failed,
  ])
  .meta({ id: 'AgentStreamPart' })
export type AgentStreamPart = z.infer<typeof AgentStreamPart>

/** Parts of an object response: partial objects, then the complete one. */
export const ObjectStreamPart = z
  .union([
    z.object({
      type: z.literal('object-delta'),
      object: z.unknown().describe('Partial object generated so far'),
    }),
    z.object({
      type: z.literal('finish'),
      object: z.unknown().describe('Complete, validated object'),
      ...Summary,
    }),
    Aborted,
    Failed,
  ])
  .meta({ id: 'ObjectStreamPart' })
export type ObjectStreamPart = z.infer<typeof ObjectStreamPart>

/** A chunk of the AI SDK's UI message stream. */
export const UiMessageChunk = z.looseObject({ type: z.string() }).meta({ id: 'UiMessageChunk' })
export type UiMessageChunk = z.infer<typeof UiMessageChunk>
