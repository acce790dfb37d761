import { z } from 'zod'
import {
  AgentStreamPart,
  FinishReason,
  ObjectStreamPart,
  ToolApproval,
  UiMessageChunk,
  Usage,
} from '../agent-event.ts'
import { PauseBeforeTools } from '../breakpoints/pause-at.ts'
import { endpoints } from '../endpoint.ts'
import { ModelCallSettings } from '../model-call-settings.ts'
import { StepWait } from '../step-wait.ts'
import {
  ApprovalResponses,
  ApprovalsBody,
  DecidedCall,
  ReplayRunBody,
  ResumeRunBody,
  ChatResume,
} from './agents/approvals.ts'
import { Id, Instant, JsonObject, JsonSchemaDocument, PageNumberQuery } from '../fields.ts'

export const AgentParams = z.object({ id: Id.describe('Agent id') })

const ToolSummary = z.object({ name: z.string(), description: z.string() })

export const AgentSummary = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    status: z.enum(['idle', 'running']),
    model: z.string().nullable().describe('Model id; null when none is configured, or chosen per request'),
    provider: z.string().nullable().describe('Provider of the model'),
    fallbackModels: z.array(z.string()).describe('Further models, in order'),
    perRequest: z
      .array(z.enum(['instructions', 'model', 'tools']))
      .describe('Options that are functions of the request'),
    tools: z.array(ToolSummary),
    memory: z.boolean().describe('Whether calls with a conversationId use its stored messages'),
    workingMemory: z.boolean().describe('Whether the agent has a working memory of each user'),
    served: z
      .boolean()
      .describe('Whether the API can call the agent; otherwise only steps and other agents can'),
    subAgentIds: z.array(z.string()).optional().describe('Agents that it can call; missing: none'),
  })
  .meta({ id: 'AgentSummary' })
export type AgentSummary = z.infer<typeof AgentSummary>

export const AgentDetail = AgentSummary.extend({
  instructions: z.string().nullable().describe('System prompt; null when chosen per request'),
  tools: z.array(
    ToolSummary.extend({ inputSchema: JsonSchemaDocument, outputSchema: JsonSchemaDocument.nullable() }),
  ),
  subAgents: z
    .array(
      z.object({
        id: z.string(),
        name: z.string(),
        description: z.string(),
        toolName: z.string().describe('Name of the tool that calls it'),
      }),
    )
    .describe('Agents that this agent can call'),
  examples: z.array(z.string()).optional().describe('Messages to try it with'),
}).meta({ id: 'AgentDetail' })
export type AgentDetail = z.infer<typeof AgentDetail>

const Text = z.string().regex(/\S/, 'Must not be blank')

/** UIMessages or ModelMessages of the AI SDK. Their content is validated when the model is called. */
const Messages = z.array(z.looseObject({})).min(1).max(1000)

const ToolName = z.string().min(1).max(64)

export const ToolChoice = z.union(
  [z.enum(['auto', 'none', 'required']), z.object({ type: z.literal('tool'), toolName: ToolName })],
  { error: 'Must be auto, none, required, or an object with type "tool" and a toolName' },
)
/** Whether the model must call a tool, and which: `auto`, `none`, `required`, or the tool by its name. */
export type ToolChoice = z.infer<typeof ToolChoice>

export const AgentOptions = z
  .object({
    userId: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe('Id of the user; the id of an authenticated user takes precedence'),
    conversationId: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe('Conversation whose earlier messages are loaded, and to which new ones are added'),
    context: JsonObject.optional().describe('Additional data for tools'),
    maxSteps: z.int().min(1).max(100).optional().describe('Maximum number of model calls'),
    toolChoice: ToolChoice.optional().describe(
      'Which tools each model call must call; default: as the agent, otherwise auto',
    ),
    activeTools: z
      .array(ToolName)
      .max(1000)
      .optional()
      .describe('Tools that the model receives; default: those of the agent'),
    ...ModelCallSettings.shape,
    contextLimit: z
      .int()
      .min(0)
      .max(1000)
      .optional()
      .describe('Number of earlier messages sent to the model; default 20'),
    resumable: z
      .boolean()
      .optional()
      .describe('Whether the answer goes on when the client disconnects; default: as the agent'),
    pauseAt: PauseBeforeTools,
  })
  .meta({ id: 'AgentOptions' })
export type AgentOptions = z.infer<typeof AgentOptions>

/** The members of `memory`, with the flat options that they are. */
const MemoryOption = z.object({
  userId: AgentOptions.shape.userId,
  conversationId: AgentOptions.shape.conversationId,
  options: z.object({ contextLimit: AgentOptions.shape.contextLimit }).optional(),
})

const AnswerSchema = JsonObject.describe('JSON Schema of the object, at most 32 KiB and 200 patterns')

const OutputOption = z.union(
  [z.object({ type: z.literal('object'), schema: AnswerSchema }), z.object({ type: z.literal('text') })],
  { error: 'Must be an object with type "text", or with type "object" and a schema' },
)

const WireOptions = AgentOptions.extend({
  memory: MemoryOption.optional().describe('The same as `userId`, `conversationId` and `contextLimit`'),
  output: OutputOption.optional().describe(
    'What the answer is: text, or an object that fits a JSON Schema. It is in `output` and in `object` of the response',
  ),
})

/** The options of a request, with the members of `memory` in the place of the flat ones. */
function withFlatMemory(
  { memory, ...options }: z.output<typeof WireOptions>,
  context: z.RefinementCtx,
): AgentRequestOptions {
  const { options: memoryOptions, ...flat } = memory ?? {}
  const nested = { ...flat, ...memoryOptions }
  for (const name of ['userId', 'conversationId', 'contextLimit'] as const) {
    if (nested[name] === undefined || options[name] === undefined || nested[name] === options[name]) continue
    const path = name === 'contextLimit' ? ['memory', 'options', name] : ['memory', name]
    context.addIssue({ code: 'custom', path, message: `Must be the same as options.${name}` })
  }
  return { ...nested, ...options }
}

/** The options of a request to an agent. */
export const AgentRequestOptions = WireOptions.meta({ id: 'AgentRequestOptions' }).transform(withFlatMemory)
export type AgentRequestOptions = AgentOptions & { output?: z.output<typeof OutputOption> | undefined }

/** The options of a trial, which has no breakpoints. */
export const TrialOptions = WireOptions.omit({ pauseAt: true }).transform(withFlatMemory)

/** The input of an agent. */
export const AgentRequestInput = z
  .union([Text, Messages], { error: 'Must be a text, or a list of 1 to 1000 messages' })
  .describe('Text, or UIMessages or ModelMessages of the AI SDK')

const AgentBody = z
  .object({
    input: AgentRequestInput,
    options: AgentRequestOptions.optional(),
  })
  .meta({ id: 'AgentBody' })

const AgentObjectBody = AgentBody.extend({
  schema: AnswerSchema.optional().describe(
    'JSON Schema of the object, at most 32 KiB and 200 patterns; required without `options.output`',
  ),
})
  .superRefine(({ schema, options }, context) => {
    const { output } = options ?? {}
    if (output?.type === 'text')
      context.addIssue({
        code: 'custom',
        path: ['options', 'output'],
        message: 'Must be of the type "object"',
      })
    else if (schema === undefined && output === undefined)
      context.addIssue({ code: 'custom', path: ['schema'], message: 'Required' })
    else if (schema && output && JSON.stringify(schema) !== JSON.stringify(output.schema))
      context.addIssue({
        code: 'custom',
        path: ['options', 'output', 'schema'],
        message: 'Must be the same as schema',
      })
  })
  .meta({ id: 'AgentObjectBody' })

const AgentObjectQuery = z.object({
  format: z
    .enum(['text'])
    .optional()
    .describe('`text`: streams the JSON of the object as plain text, for `useObject` of the AI SDK'),
})

const ChatBody = z
  .looseObject({
    id: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe('Id of the conversation; may be in `options.conversationId` instead'),
    messages: Messages.optional().describe(
      'New message, or the whole conversation, of which the new messages are taken',
    ),
    input: AgentRequestInput.optional().describe('In the place of `messages`: the same, or a text'),
    trigger: z.enum(['submit-message', 'regenerate-message']).optional().describe('Default: submit-message'),
    messageId: z.string().nullish().describe('Id of the message that was edited or is regenerated'),
    approvals: ApprovalResponses.optional(),
    resume: ChatResume.optional().describe(
      'Data of a part `data-wait`: the run goes on, and `messages` are ignored',
    ),
    options: AgentRequestOptions.optional(),
  })
  .superRefine(({ id, messages, input, options }, context) => {
    const refuse = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
    if (messages === undefined && input === undefined) refuse(['messages'], 'Required')
    const { conversationId } = options ?? {}
    // `input` may be of no conversation; `useChat` sends an id with its messages
    if (messages !== undefined && (id ?? conversationId) === undefined) refuse(['id'], 'Required')
    if (id !== undefined && conversationId !== undefined && conversationId !== id)
      refuse(['options', 'conversationId'], 'Must be the same as id')
  })
  .meta({ id: 'ChatBody' })

const ToolCall = z.object({ toolCallId: z.string(), toolName: z.string(), input: z.unknown() })
const ToolResult = z.object({
  toolCallId: z.string(),
  toolName: z.string(),
  output: z.unknown().optional(),
  error: z.string().optional(),
})

/** One model call and the tool calls it requested. */
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

const responseFields = {
  id: z.string().describe('Id of the run in the history'),
  finishReason: FinishReason,
  reason: z.string().optional().describe('Why a guardrail blocked it'),
  usage: Usage,
  model: z.string().describe('Model as `provider/model`'),
  traceId: z.string().describe('Trace of the run'),
  approvals: z.array(ToolApproval).optional().describe('Tool calls that wait for approval'),
  waits: z.array(StepWait).optional().describe('What tools wait for in their middle'),
}

/** Of a request with `options.output`. */
const requestedObject = {
  output: z.unknown().optional().describe('Object that was requested with `options.output`'),
  object: z.unknown().optional().describe('The same'),
}

export const AgentAnswer = z
  .object({
    ...responseFields,
    text: z.string().describe('Generated text'),
    reasoning: z.string().optional().describe('Reasoning of the model'),
    toolCalls: z.array(ToolCall).describe('Tool calls of all steps'),
    toolResults: z.array(ToolResult).describe('Tool results of all steps'),
    steps: z.array(AgentStep).describe('Model calls, in order'),
    ...requestedObject,
  })
  .meta({ id: 'AgentAnswer' })
export type AgentAnswer = z.infer<typeof AgentAnswer>

export const AgentObject = z
  .object({
    ...responseFields,
    object: z.unknown().describe('Object that fits the schema'),
    output: z.unknown().optional().describe('The same, of a request with `options.output`'),
  })
  .meta({ id: 'AgentObject' })
export type AgentObject = z.infer<typeof AgentObject>

export const AgentRunStatus = z.enum(['running', 'suspended', 'completed', 'error', 'aborted'])
export type AgentRunStatus = z.infer<typeof AgentRunStatus>

export const AgentRunRecord = z
  .object({
    id: z.string(),
    agentId: z.string(),
    input: z.unknown().describe('Input of the request'),
    output: z.unknown().describe('Generated text or object; partial when the run was aborted'),
    status: AgentRunStatus,
    error: z.string().optional().describe('Message of the error'),
    finishReason: FinishReason.optional(),
    reason: z.string().optional().describe('Why a guardrail blocked it'),
    usage: Usage.nullable().describe('Tokens used; null while the run has none'),
    model: z.string().describe('Model as `provider/model`'),
    startTime: Instant,
    endTime: Instant.nullable().describe('End of the run; null while it is running'),
    userId: z.string().nullable(),
    conversationId: z.string().nullable(),
    traceId: z.string().describe('Trace of the run'),
    forkedFrom: z
      .object({ runId: z.string(), stepId: z.string().describe('Call from which it was replayed') })
      .optional()
      .describe('Run that it is a replay of'),
    trial: z.literal(true).optional().describe('Set for a trial of the prompt lab'),
    approvals: z.array(ToolApproval).optional().describe('Set while the run waits for approvals'),
    waits: z.array(StepWait).optional().describe('Set while its tools wait'),
    decisions: z
      .array(DecidedCall)
      .optional()
      .describe('Responses to tool calls that it waited for, in the order of the calls'),
    steps: z.array(AgentStep).describe('Model calls, in order'),
  })
  .meta({ id: 'AgentRunRecord' })
export type AgentRunRecord = z.infer<typeof AgentRunRecord>

/** The reply of routes for the UI hooks of the AI SDK. */
export const chatStream = {
  kind: 'events',
  schema: UiMessageChunk,
  headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
} as const

const generate = {
  method: 'POST',
  consoleOptions: ['pauseAt'],
  group: 'execution',
  action: 'execute',
  tag: 'Agents',
  params: AgentParams,
  body: AgentBody,
  errors: [400, 404, 413, 415, 429],
} as const

export const agentEndpoints = endpoints({
  listAgents: {
    method: 'GET',
    path: '/agents',
    lists: 'definitions',
    group: 'management',
    tag: 'Agents',
    summary: 'Lists agents',
    reply: { kind: 'data', schema: z.array(AgentSummary) },
    errors: [],
  },
  getAgent: {
    method: 'GET',
    path: '/agents/:id',
    action: 'read',
    group: 'management',
    tag: 'Agents',
    summary: 'Returns an agent with its instructions, tools and sub-agents',
    params: AgentParams,
    reply: { kind: 'data', schema: AgentDetail },
    errors: [400, 404],
  },
  listAgentHistory: {
    method: 'GET',
    path: '/agents/:id/history',
    action: 'read',
    lists: 'records',
    // the console's class with `authNext`; not public with the legacy `auth`, as it has the inputs of users
    group: 'observability',
    tag: 'Agents',
    summary: 'Lists the runs of an agent, newest first',
    params: AgentParams,
    query: z.object({
      ...PageNumberQuery.shape,
      conversationId: z.string().optional().describe('Only runs in this conversation'),
      userId: z.string().optional().describe('Only runs of this user'),
      status: AgentRunStatus.optional().describe('Only runs with this status'),
    }),
    reply: { kind: 'data', schema: z.array(AgentRunRecord), paged: true },
    errors: [400, 404],
  },
  generateText: {
    ...generate,
    path: '/agents/:id/text',
    summary: 'Generates a text response',
    reply: { kind: 'data', schema: AgentAnswer },
  },
  streamText: {
    ...generate,
    path: '/agents/:id/stream',
    summary: 'Streams a text response; disconnecting aborts the model call',
    reply: { kind: 'events', schema: AgentStreamPart },
  },
  generateObject: {
    ...generate,
    path: '/agents/:id/object',
    summary: 'Generates an object that fits a JSON Schema',
    body: AgentObjectBody,
    reply: { kind: 'data', schema: AgentObject },
  },
  streamObject: {
    ...generate,
    path: '/agents/:id/stream-object',
    summary: 'Streams an object that fits a JSON Schema, as partial objects or as its text',
    query: AgentObjectQuery,
    body: AgentObjectBody,
    reply: {
      kind: 'events',
      schema: ObjectStreamPart,
      text: 'With `format=text`: the JSON of the object. It breaks off when the answer fails',
    },
  },
  respondToRun: {
    ...generate,
    path: '/agents/:id/runs/:runId/approvals',
    action: 'resume',
    decides: 'http',
    summary: 'Approves or denies tool calls of a run',
    params: AgentParams.extend({ runId: Id.describe('Run id') }),
    body: ApprovalsBody,
    reply: {
      kind: 'data',
      schema: z.union([AgentAnswer, AgentObject]),
      events: z.union([AgentStreamPart, ObjectStreamPart]),
    },
    errors: [400, 404, 409, 413, 415, 429],
  },
  resumeRun: {
    ...generate,
    path: '/agents/:id/runs/:runId/resume',
    action: 'resume',
    decides: 'http',
    summary: 'Resumes a tool of a run that waits in its middle',
    params: AgentParams.extend({ runId: Id.describe('Run id') }),
    body: ResumeRunBody,
    reply: {
      kind: 'data',
      schema: z.union([AgentAnswer, AgentObject]),
      events: z.union([AgentStreamPart, ObjectStreamPart]),
    },
    errors: [400, 404, 409, 413, 415],
  },
  replayRun: {
    ...generate,
    path: '/agents/:id/runs/:runId/replay',
    action: 'replay',
    decides: 'http',
    // with them, a user could call tools that only the agent calls, and pretend approvals
    consoleMembers: ['instructions', 'input', 'output'],
    summary: 'Answers anew from a recorded call of a run, with copies of the calls before it',
    params: AgentParams.extend({ runId: Id.describe('Run id') }),
    body: ReplayRunBody,
    reply: {
      kind: 'data',
      schema: z.union([AgentAnswer, AgentObject]),
      events: z.union([AgentStreamPart, ObjectStreamPart]),
    },
    errors: [400, 404, 409, 413, 415, 429],
  },
  chat: {
    ...generate,
    path: '/agents/:id/chat',
    action: 'chat',
    decides: 'chat',
    summary: 'Streams a response as a UI message stream of the AI SDK, for useChat',
    body: ChatBody,
    errors: [400, 404, 409, 413, 415, 429],
    reply: chatStream,
  },
})
