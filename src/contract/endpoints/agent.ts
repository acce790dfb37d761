import { z } from 'zod'
import { AgentStreamPart, FinishReason, ObjectStreamPart, UiMessageChunk, Usage } from '../agent-event.ts'
import { endpoints } from '../endpoint.ts'
import { Id, Instant, JsonObject, JsonSchemaDocument, PageNumberQuery } from '../fields.ts'

const AgentParams = z.object({ id: Id.describe('Agent id') })

const ToolSummary = z.object({ name: z.string(), description: z.string() })

export const AgentSummary = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    status: z.enum(['idle', 'running']),
    model: z.string().nullable().describe('null when none is configured'),
    provider: z.string().nullable(),
    tools: z.array(ToolSummary),
    memory: z.boolean().describe('Whether calls with a conversation id remember it'),
    served: z.boolean().describe('Whether it can be asked here; else only steps and other agents ask it'),
  })
  .meta({ id: 'AgentSummary' })
export type AgentSummary = z.infer<typeof AgentSummary>

export const AgentDetail = AgentSummary.extend({
  instructions: z.string(),
  tools: z.array(
    ToolSummary.extend({ inputSchema: JsonSchemaDocument, outputSchema: JsonSchemaDocument.nullable() }),
  ),
  subAgents: z.array(z.object({ id: z.string(), name: z.string(), description: z.string() })),
}).meta({ id: 'AgentDetail' })
export type AgentDetail = z.infer<typeof AgentDetail>

const Text = z.string().regex(/\S/, 'Must not be blank')

/** UIMessages or ModelMessages of the AI SDK; what is inside is checked when the model is called. */
const Messages = z.array(z.looseObject({})).min(1).max(1000)

const AgentOptions = z
  .object({
    userId: z.string().min(1).max(256).optional().describe('Counts where no token tells who asks'),
    conversationId: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe('Earlier messages of it are loaded, new ones are stored'),
    context: JsonObject.optional().describe('Further data, handed to every tool'),
    maxSteps: z.int().min(1).max(100).optional().describe('Calls of the model, at most'),
    temperature: z.number().min(0).optional(),
    maxOutputTokens: z.int().min(1).optional(),
    topP: z.number().min(0).max(1).optional(),
    topK: z.int().min(0).optional(),
    seed: z.int().optional(),
    stopSequences: z.array(z.string()).max(100).optional(),
    providerOptions: z.record(z.string(), JsonObject).optional(),
    contextLimit: z
      .int()
      .min(0)
      .max(1000)
      .optional()
      .describe('Earlier messages the model sees, 20 unless given'),
  })
  .meta({ id: 'AgentOptions' })
export type AgentOptions = z.infer<typeof AgentOptions>

const AgentBody = z
  .object({
    input: z
      .union([Text, Messages], { error: 'Must be a text, or a list of 1 to 1000 messages' })
      .describe('A text, UIMessages or ModelMessages'),
    options: AgentOptions.optional(),
  })
  .meta({ id: 'AgentBody' })

const AgentObjectBody = AgentBody.extend({
  schema: JsonObject.describe('JSON Schema of the object'),
}).meta({ id: 'AgentObjectBody' })

const ChatBody = z
  .looseObject({
    id: z.string().min(1).max(256).describe('The conversation'),
    messages: Messages,
    trigger: z.enum(['submit-message', 'regenerate-message']).optional(),
    messageId: z.string().nullish().describe('The message that was edited, or is to be answered anew'),
    options: AgentOptions.omit({ conversationId: true }).optional(),
  })
  .meta({ id: 'ChatBody' })

const ToolCall = z.object({ toolCallId: z.string(), toolName: z.string(), input: z.unknown() })
const ToolResult = z.object({
  toolCallId: z.string(),
  toolName: z.string(),
  output: z.unknown().optional(),
  error: z.string().optional(),
})

/** One call of the model and the tools it asked for. */
export const AgentStep = z
  .object({
    text: z.string(),
    reasoning: z.string().optional(),
    finishReason: FinishReason,
    usage: Usage,
    toolCalls: z.array(ToolCall),
    toolResults: z.array(ToolResult),
  })
  .meta({ id: 'AgentStep' })
export type AgentStep = z.infer<typeof AgentStep>

const answered = {
  id: z.string().describe('Of the run, as the history has it'),
  finishReason: FinishReason,
  usage: Usage,
  model: z.string().describe('`provider/model`'),
  traceId: z.string(),
}

export const AgentAnswer = z
  .object({
    ...answered,
    text: z.string(),
    reasoning: z.string().optional(),
    toolCalls: z.array(ToolCall),
    toolResults: z.array(ToolResult),
    steps: z.array(AgentStep),
  })
  .meta({ id: 'AgentAnswer' })
export type AgentAnswer = z.infer<typeof AgentAnswer>

export const AgentObject = z.object({ ...answered, object: z.unknown() }).meta({ id: 'AgentObject' })
export type AgentObject = z.infer<typeof AgentObject>

export const AgentRunStatus = z.enum(['running', 'completed', 'error', 'aborted'])
export type AgentRunStatus = z.infer<typeof AgentRunStatus>

export const AgentRunRecord = z
  .object({
    id: z.string(),
    agentId: z.string(),
    input: z.unknown().describe('As it was sent'),
    output: z.unknown().describe('The text or the object; what there was of it when it was aborted'),
    status: AgentRunStatus,
    error: z.string().optional(),
    usage: Usage.nullable(),
    model: z.string().describe('`provider/model`'),
    startTime: Instant,
    endTime: Instant.nullable(),
    userId: z.string().nullable(),
    conversationId: z.string().nullable(),
    traceId: z.string(),
    steps: z.array(AgentStep),
  })
  .meta({ id: 'AgentRunRecord' })
export type AgentRunRecord = z.infer<typeof AgentRunRecord>

const ask = {
  method: 'POST',
  group: 'execution',
  tag: 'Agents',
  params: AgentParams,
  body: AgentBody,
  errors: [400, 404, 413, 415],
} as const

export const agentEndpoints = endpoints({
  listAgents: {
    method: 'GET',
    path: '/agents',
    group: 'management',
    tag: 'Agents',
    summary: 'List agents',
    reply: { kind: 'data', schema: z.array(AgentSummary) },
    errors: [],
  },
  getAgent: {
    method: 'GET',
    path: '/agents/:id',
    group: 'management',
    tag: 'Agents',
    summary: 'An agent with its instructions, tools and sub-agents',
    params: AgentParams,
    reply: { kind: 'data', schema: AgentDetail },
    errors: [400, 404],
  },
  listAgentHistory: {
    method: 'GET',
    path: '/agents/:id/history',
    group: 'management',
    tag: 'Agents',
    summary: 'What an agent was asked and answered, newest first',
    params: AgentParams,
    query: z.object({
      ...PageNumberQuery.shape,
      conversationId: z.string().optional(),
      userId: z.string().optional(),
      status: AgentRunStatus.optional(),
    }),
    reply: { kind: 'data', schema: z.array(AgentRunRecord), paged: true },
    errors: [400, 404],
  },
  generateText: {
    ...ask,
    path: '/agents/:id/text',
    summary: 'Have an agent answer with a text',
    reply: { kind: 'data', schema: AgentAnswer },
  },
  streamText: {
    ...ask,
    path: '/agents/:id/stream',
    summary: 'Have an agent answer with a text, and stream it; leaving aborts it',
    reply: { kind: 'events', schema: AgentStreamPart },
  },
  generateObject: {
    ...ask,
    path: '/agents/:id/object',
    summary: 'Have an agent answer with an object of a schema',
    body: AgentObjectBody,
    reply: { kind: 'data', schema: AgentObject },
  },
  streamObject: {
    ...ask,
    path: '/agents/:id/stream-object',
    summary: 'Have an agent answer with an object of a schema, and stream it as it grows',
    body: AgentObjectBody,
    reply: { kind: 'events', schema: ObjectStreamPart },
  },
  chat: {
    ...ask,
    path: '/agents/:id/chat',
    summary: 'Have an agent answer in the UI message stream of the AI SDK, as useChat reads it',
    body: ChatBody,
    reply: {
      kind: 'events',
      schema: UiMessageChunk,
      headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
    },
  },
})
