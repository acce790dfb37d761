import { z } from 'zod'
import { ID_RULE } from '../../lib/ids.ts'
import { endpoints } from '../endpoint.ts'
import { Id, JsonObject } from '../fields.ts'

/** The base URL of OpenAI's API, relative to the server. */
export const OPENAI_BASE = '/v1'

/** An error in the form of OpenAI's API. */
export const OpenaiError = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable().describe('Member of the request that the error is about'),
      code: z.string().nullable(),
    }),
  })
  .meta({ id: 'OpenaiError' })
export type OpenaiError = z.infer<typeof OpenaiError>

const MODEL_ID = /^(?:[A-Za-z0-9._-]{1,64}\/)?[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/

const MODEL = 'Agent by its id, or workflow as `workflow/<id>`'

const Model = z
  .object({
    id: z.string().describe(MODEL),
    object: z.literal('model'),
    created: z.int().describe('Seconds since the epoch'),
    owned_by: z.string(),
  })
  .meta({ id: 'OpenaiModel' })
export type Model = z.infer<typeof Model>

const model = z.string().min(1).max(256).describe(MODEL)
const temperature = z.number().min(0).max(2).nullish()
const topP = z.number().min(0).max(1).nullish()
const tokens = z.int().min(1).nullish()
const penalty = z.number().min(-2).max(2).nullish()

/** Items of the lists, whose form depends on their type. The adapter validates it. */
const list = (max: number) => z.array(JsonObject).max(max)

/** The most messages of a request, as on the routes of agents. */
const MAX_MESSAGES = 1000
const MAX_TOOLS = 128

const ToolChoice = z.union([z.enum(['auto', 'none', 'required']), JsonObject]).nullish()

/** Of members that are not listed, some are ignored, and some are refused: the guide has the table. */
export const ChatCompletionBody = z
  .looseObject({
    model,
    messages: list(MAX_MESSAGES).min(1),
    stream: z.boolean().nullish(),
    stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
    tools: list(MAX_TOOLS).nullish().describe('Functions that the client executes'),
    tool_choice: ToolChoice,
    response_format: JsonObject.nullish(),
    temperature,
    top_p: topP,
    max_tokens: tokens,
    max_completion_tokens: tokens,
    stop: z.union([z.string(), z.array(z.string()).max(100)]).nullish(),
    seed: z.int().nullish(),
    presence_penalty: penalty,
    frequency_penalty: penalty,
    user: z.string().max(256).nullish().describe('Id of the user; only without an auth provider'),
  })
  .meta({ id: 'OpenaiChatCompletionBody' })
export type ChatCompletionBody = z.infer<typeof ChatCompletionBody>

export const ResponseBody = z
  .looseObject({
    model,
    input: z.union([z.string(), list(MAX_MESSAGES).min(1)]),
    instructions: z.string().nullish(),
    previous_response_id: z.string().max(256).nullish(),
    stream: z.boolean().nullish(),
    store: z.boolean().nullish().describe('Default: true'),
    background: z.boolean().nullish().describe('Start a recorded answer, and return at once'),
    tools: list(MAX_TOOLS).nullish().describe('Functions that the client executes'),
    tool_choice: ToolChoice,
    text: z.looseObject({ format: JsonObject.nullish() }).nullish(),
    temperature,
    top_p: topP,
    max_output_tokens: tokens,
    metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
    user: z.string().max(256).nullish().describe('Id of the user; only without an auth provider'),
  })
  .meta({ id: 'OpenaiResponseBody' })
export type ResponseBody = z.infer<typeof ResponseBody>

const ChatCompletion = z
  .looseObject({ id: z.string(), object: z.literal('chat.completion'), choices: z.array(JsonObject) })
  .meta({ id: 'OpenaiChatCompletion' })

/** A chunk, or the error that ends the stream. The stream ends with the text `[DONE]`. */
const ChatCompletionChunk = z.union([
  z.looseObject({
    id: z.string(),
    object: z.literal('chat.completion.chunk'),
    choices: z.array(JsonObject),
  }),
  OpenaiError,
])

const OpenaiResponse = z
  .looseObject({
    id: z.string(),
    object: z.literal('response'),
    status: z.enum(['completed', 'failed', 'in_progress', 'cancelled', 'queued', 'incomplete']),
    output: z.array(JsonObject),
  })
  .meta({ id: 'OpenaiResponse' })

const ResponseEvent = z.looseObject({ type: z.string(), sequence_number: z.int() })

const reply = (schema: z.ZodType, events?: z.ZodType) =>
  ({ kind: 'protocol', schema, ...(events && { events }), rpcErrors: [], errorSchema: OpenaiError }) as const

const common = {
  group: 'execution',
  tag: 'OpenAI',
  switchedBy: 'openai',
  asksByRecord: true,
} as const

const ofResponse = {
  ...common,
  params: z.object({ id: Id.describe('Response id') }),
  reply: reply(OpenaiResponse),
  errors: [400, 404, 409],
} as const

const aModel = {
  ...common,
  method: 'GET',
  summary: 'Returns a model of the OpenAI-compatible API',
  reply: reply(Model),
  errors: [400, 404],
} as const

export const openaiEndpoints = endpoints({
  listModels: {
    ...common,
    method: 'GET',
    path: `${OPENAI_BASE}/models`,
    summary: 'Lists the agents and workflows that the caller can use, as models',
    reply: reply(z.object({ object: z.literal('list'), data: z.array(Model) })),
    errors: [],
  },
  getModel: {
    ...aModel,
    path: `${OPENAI_BASE}/models/:id`,
    params: z.object({ id: z.string().regex(MODEL_ID, `Must be ${ID_RULE}`).describe(MODEL) }),
  },
  getWorkflowModel: {
    ...aModel,
    path: `${OPENAI_BASE}/models/workflow/:id`,
    params: z.object({ id: Id.describe('Workflow id') }),
  },
  createChatCompletion: {
    ...common,
    method: 'POST',
    path: `${OPENAI_BASE}/chat/completions`,
    summary: 'Answers by an agent or a workflow, as the chat completions of OpenAI',
    body: ChatCompletionBody,
    reply: reply(ChatCompletion, ChatCompletionChunk),
    errors: [400, 404, 409, 413, 415, 429],
  },
  createResponse: {
    ...common,
    method: 'POST',
    path: `${OPENAI_BASE}/responses`,
    summary: 'Answers by an agent or a workflow, as the responses of OpenAI',
    body: ResponseBody,
    reply: reply(OpenaiResponse, ResponseEvent),
    errors: [400, 404, 409, 413, 415, 429],
  },
  getResponse: {
    ...ofResponse,
    method: 'GET',
    path: `${OPENAI_BASE}/responses/:id`,
    summary: 'Returns a response that was stored',
    query: z.object({
      stream: z.literal('false').optional().describe('Stored responses are not streamed'),
    }),
  },
  cancelResponse: {
    ...ofResponse,
    method: 'POST',
    path: `${OPENAI_BASE}/responses/:id/cancel`,
    summary: 'Cancels a response that is in progress or waits',
  },
  deleteResponse: {
    ...ofResponse,
    method: 'DELETE',
    path: `${OPENAI_BASE}/responses/:id`,
    summary: 'Deletes a response',
    reply: reply(
      z.object({ id: z.string(), object: z.literal('response.deleted'), deleted: z.literal(true) }),
    ),
  },
})
