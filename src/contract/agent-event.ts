import { z } from 'zod'
import { JsonSchemaDocument } from './fields.ts'
import { StepWait } from './step-wait.ts'
import { ToolOutcome } from './tool-outcome.ts'

/** A cost in US dollars. */
export const Cost = z
  .number()
  .nullable()
  .describe('Cost in US dollars; null when the price of a model is unknown')

const Tokens = z.int().nullable()

/**
 * Tokens used by a response, and their cost, sub-agents included. Null when it is unknown: the provider did not report it,
 * or a call ended before it could.
 */
export const Usage = z
  .object({
    inputTokens: Tokens.describe('Tokens of the prompts, cached ones included; null when unknown'),
    outputTokens: Tokens.describe('Generated tokens, reasoning included'),
    totalTokens: Tokens,
    cachedInputTokens: Tokens.describe("Input tokens read from the provider's cache"),
    reasoningTokens: Tokens.describe('Output tokens used for reasoning'),
    costUsd: Cost,
  })
  .meta({ id: 'Usage' })
export type Usage = z.infer<typeof Usage>

/**
 * Why the model stopped; `approval-required`: tool calls wait for approval; `suspended`: a tool waits in its middle;
 * `guardrail`: blocked, with a `reason`.
 */
export const FinishReason = z
  .enum([
    'stop',
    'length',
    'content-filter',
    'tool-calls',
    'approval-required',
    'guardrail',
    'suspended',
    'error',
    'other',
  ])
  .meta({ id: 'FinishReason' })
export type FinishReason = z.infer<typeof FinishReason>

/** A tool call that waits for a person's approval or input. */
export const ToolApproval = z
  .object({
    approvalId: z.string(),
    toolName: z.string(),
    input: z.unknown().describe('Arguments of the call'),
    toolCallId: z.string(),
    agentId: z.string().describe('Agent of the tool: it may be a sub-agent'),
    kind: z
      .literal('elicitation')
      .optional()
      .describe('The tool requests a form; `input` of the response is its data'),
    message: z.string().optional().describe('Text above the form'),
    schema: JsonSchemaDocument.optional().describe("JSON Schema of the form's data"),
  })
  .meta({ id: 'ToolApproval' })
export type ToolApproval = z.infer<typeof ToolApproval>

/** Fields of the last part of a stream, about the whole response; those of `AgentAnswer`. */
const Summary = {
  id: z.string(),
  finishReason: FinishReason,
  reason: z.string().optional(),
  usage: Usage,
  model: z.string(),
  traceId: z.string(),
  approvals: z.array(ToolApproval).optional(),
  waits: z.array(StepWait).optional(),
}

const part = <const T extends string, S extends z.core.$ZodLooseShape>(type: T, shape: S) =>
  z.looseObject({ type: z.literal(type), ...shape })
const parts = <const T extends string, S extends z.core.$ZodLooseShape>(types: readonly T[], shape: S) =>
  z.looseObject({ type: z.enum(types), ...shape })
const ofText = { id: z.string() }
const ofTool = { toolCallId: z.string(), toolName: z.string() }

const ofAgent = { agentId: z.string(), runId: z.string() }

/** What a tool has written. */
const DataPart = z.looseObject({
  type: z.templateLiteral(['data-', z.string().min(1)]),
  data: z.unknown(),
  id: z.string().optional(),
  transient: z.boolean().optional(),
  agentId: z.string(),
  toolCallId: z.string(),
})

const Failed = z.object({ type: z.literal('error'), error: z.string() })
const Aborted = z.looseObject({ type: z.literal('abort') })

/** Parts of a text response, as in the AI SDK's full stream. */
export const AgentStreamPart = z
  .union([
    parts(['start', 'start-step', 'source'], {}),
    parts(['text-start', 'text-end', 'reasoning-start', 'reasoning-end', 'tool-input-end'], ofText),
    parts(['text-delta', 'reasoning-delta'], { ...ofText, text: z.string() }),
    part('tool-input-start', { ...ofText, toolName: z.string() }),
    part('tool-input-delta', { ...ofText, delta: z.string() }),
    part('tool-call', { ...ofTool, input: z.unknown() }),
    part('tool-result', {
      ...ofTool,
      output: z.unknown(),
      preliminary: z
        .boolean()
        .optional()
        .describe('The call goes on: a later result takes the place of this one'),
    }),
    part('tool-error', { ...ofTool, error: z.string() }),
    part('tool-approval-request', { ...ofTool, approvalId: z.string(), input: z.unknown() }),
    part('tool-output-denied', ofTool),
    part('file', { file: z.object({ mediaType: z.string(), base64: z.string() }) }),
    part('agent-delta', { ...ofAgent, ...ofText, text: z.string() }),
    part('agent-tool-call', { ...ofAgent, ...ofTool, input: z.unknown() }),
    part('agent-tool-result', { ...ofAgent, ...ofTool, ...ToolOutcome }),
    DataPart,
    part('finish-step', { finishReason: FinishReason }),
    part('finish', { ...Summary, output: z.unknown().optional(), object: z.unknown().optional() }),
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

/** A part of a stream of any format. */
export interface StreamPart {
  readonly type: string
  readonly preliminary?: unknown
}

/** Whether a part is for those who read the stream now: it is not recorded. What an answer waits for is. */
export function isLivePart({ type, preliminary }: StreamPart): boolean {
  if (type === 'data-wait') return false
  return type.startsWith('data-') || type.startsWith('agent-') || preliminary === true
}

/** A chunk of the AI SDK's UI message stream. */
export const UiMessageChunk = z.looseObject({ type: z.string() }).meta({ id: 'UiMessageChunk' })
export type UiMessageChunk = z.infer<typeof UiMessageChunk>
