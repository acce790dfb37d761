import { z } from 'zod'

/** Tokens spent on an answer, sub-agents included. What a provider doesn't tell counts as 0. */
export const Usage = z
  .object({
    inputTokens: z.int(),
    outputTokens: z.int(),
    totalTokens: z.int(),
    cachedInputTokens: z.int(),
    reasoningTokens: z.int(),
  })
  .meta({ id: 'Usage' })
export type Usage = z.infer<typeof Usage>

/** Why the model stopped. */
export const FinishReason = z.enum(['stop', 'length', 'content-filter', 'tool-calls', 'error', 'other'])
export type FinishReason = z.infer<typeof FinishReason>

/** What stands in the last part of a stream: it tells of the whole answer. */
const Summary = {
  id: z.string().describe('Of the run, as the history has it'),
  finishReason: FinishReason,
  usage: Usage,
  model: z.string(),
  traceId: z.string(),
}

const part = <T extends string, S extends z.core.$ZodLooseShape>(type: T, shape: S) =>
  z.looseObject({ type: z.literal(type), ...shape })
const ofText = { id: z.string() }
const ofTool = { toolCallId: z.string(), toolName: z.string() }

const Failed = z.object({ type: z.literal('error'), error: z.string() })
const Aborted = z.looseObject({ type: z.literal('abort') })

/** The parts of an answer as the AI SDK's full stream has them. */
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

/** An object as it grows, then whole. */
export const ObjectStreamPart = z
  .union([
    z.object({
      type: z.literal('object-delta'),
      object: z.unknown().describe('What there is of it so far'),
    }),
    z.object({ type: z.literal('finish'), object: z.unknown(), ...Summary }),
    Aborted,
    Failed,
  ])
  .meta({ id: 'ObjectStreamPart' })
export type ObjectStreamPart = z.infer<typeof ObjectStreamPart>

/** A chunk of the AI SDK's UI message stream. */
export const UiMessageChunk = z.looseObject({ type: z.string() }).meta({ id: 'UiMessageChunk' })
export type UiMessageChunk = z.infer<typeof UiMessageChunk>
