import type { AgentStreamPart } from '../contract/agent-event.ts'
import type { AgentAnswer, AgentDetail } from '../contract/endpoints/agent.ts'
import type { Conversation, UiMessage } from '../contract/endpoints/agents/conversation.ts'
import type { InferOutput, StandardSchema } from '../lib/schema/schema.ts'
import type { ApiClient } from './api.ts'
import { abortedBy, numbers } from './call.ts'
import type { Abortable, BodyOf, DataOf } from './call.ts'

/** A schema that has its JSON Schema with it, such as one of zod 4.2 or newer, or a JSON Schema object. */
export type AskedSchema = StandardSchema | Readonly<Record<string, unknown>>

/** Options of a request to an agent: those of `POST /agents/:id/text`, and `schema`. */
export interface AgentAskOptions<S extends AskedSchema | undefined = AskedSchema | undefined>
  extends Omit<NonNullable<BodyOf<'generateText'>['options']>, 'output' | 'memory'>, Abortable {
  /**
   * The schema of the answer: a schema of zod 4.2 or newer, or of another library that implements Standard JSON Schema, or a
   * JSON Schema object. Default: the answer is text.
   */
  readonly schema?: S
}

/** The value of an answer's schema; `unknown` for a JSON Schema object. */
type ObjectOf<S> = S extends StandardSchema ? InferOutput<S> : unknown

/** What an agent is asked: a text, or `UIMessage`s or `ModelMessage`s of the AI SDK. */
type AgentInput = BodyOf<'generateText'>['input']

/** An answer. `object` is the value of the schema of the request. */
export type ClientAnswer<S> = Omit<AgentAnswer, 'object' | 'output'> &
  (S extends AskedSchema
    ? {
        /** Object that fits the schema of the call. */
        readonly object: ObjectOf<S>
      }
    : unknown)

type Numbered<Part> = Part & {
  /** Sequence number of the event; pass it as `after` to continue. */
  readonly sequence: number
}

/** One agent of a server. */
export class AgentClient {
  /** Id of the agent. */
  readonly id: string
  readonly #api: ApiClient

  constructor(api: ApiClient, id: string) {
    this.#api = api
    this.id = id
  }

  /** Its instructions, models, tools and sub-agents. `GET /agents/:id` */
  describe(options: Abortable = {}): Promise<AgentDetail> {
    return this.#api.getAgent({ params: { id: this.id }, ...abortedBy(options) })
  }

  /**
   * Asks the agent, and waits for its answer. With `schema`, the answer has an `object`. `POST /agents/:id/text`
   *
   * @throws ApiError 400 naming the member that is not valid, 404 for an unknown agent, 429 when a budget or a limit is
   *   reached, 500 when the model fails, 503 without a model; TypeError for a schema without a JSON Schema
   *
   * @example
   * const { text } = await client.agent('clerk').generate('Where is order 7?', { userId: 'ada' })
   * const { object } = await client.agent('clerk').generate(mail, { schema: z.object({ urgent: z.boolean() }) })
   */
  generate<S extends AskedSchema | undefined = undefined>(
    input: AgentInput,
    { schema, signal, ...options }: AgentAskOptions<S> = {},
  ): Promise<ClientAnswer<S>> {
    const output =
      schema === undefined ? {} : { output: { type: 'object' as const, schema: jsonSchemaOf(schema) } }
    return this.#api.generateText({
      params: { id: this.id },
      body: { input, options: { ...options, ...output } },
      ...abortedBy({ signal }),
    }) as Promise<ClientAnswer<S>>
  }

  /**
   * Asks the agent, and streams the parts of its answer. Leaving the loop aborts the answer, unless it is resumable.
   * `POST /agents/:id/stream`
   *
   * @example
   * for await (const part of client.agent('clerk').stream('Where is order 7?'))
   *   if (part.type === 'text-delta') process.stdout.write(part.text)
   */
  stream(
    input: AgentInput,
    { signal, ...options }: Omit<AgentAskOptions, 'schema'> = {},
  ): AsyncGenerator<Numbered<AgentStreamPart>> {
    return this.#api.streamText({
      params: { id: this.id },
      body: { input, options },
      ...abortedBy({ signal }),
    })
  }

  /** A run of the agent, such as one whose tool calls wait. Sends no request by itself. */
  run(runId: string): AgentRunClient {
    return new AgentRunClient(this.#api, { id: this.id, runId })
  }

  /** The conversations of a user with the agent, newest first. `GET /agents/:id/conversations` */
  conversations({ signal, limit, offset, ...query }: ConversationsOptions = {}): Promise<Conversation[]> {
    return this.#api.listConversations({
      params: { id: this.id },
      query: { ...query, ...numbers({ limit, offset }) },
      ...abortedBy({ signal }),
    })
  }

  /** A conversation with the agent. Sends no request by itself. */
  conversation(conversationId: string, { userId }: OfUser = {}): ConversationClient {
    return new ConversationClient(this.#api, { id: this.id, conversationId }, userId)
  }
}

/** An answer of a run that has gone on: text, or the object of the request's schema. */
type RunAnswer = DataOf<'resumeRun'>

/** One run of an agent. */
export class AgentRunClient {
  /** Id of the run. */
  readonly id: string
  readonly #api: ApiClient
  readonly #params: { readonly id: string; readonly runId: string }

  constructor(api: ApiClient, params: { readonly id: string; readonly runId: string }) {
    this.#api = api
    this.#params = params
    this.id = params.runId
  }

  /**
   * Responds to tool calls that wait for approval, and waits for the rest of the answer.
   * `POST /agents/:id/runs/:runId/approvals`
   *
   * @throws ApiError 403 when somebody else must approve, 404 when no such call waits
   *
   * @example
   * const { id, approvals } = await clerk.generate('Delete note 7', { resumable: true })
   * await clerk.run(id).respond(approvals.map(({ approvalId }) => ({ approvalId, approved: true })))
   */
  respond(approvals: BodyOf<'respondToRun'>['approvals'], { signal }: Abortable = {}): Promise<RunAnswer> {
    return this.#api.respondToRun({ params: this.#params, body: { approvals }, ...abortedBy({ signal }) })
  }

  /**
   * Resumes a tool that waits in its middle, and waits for the rest of the answer.
   * `POST /agents/:id/runs/:runId/resume`
   *
   * @param options `stepId`: the wait, required while several are open
   */
  resume(resumeData?: unknown, { signal, ...options }: ResumeRunOptions = {}): Promise<RunAnswer> {
    const body = { ...options, ...(resumeData !== undefined && { resumeData }) }
    return this.#api.resumeRun({ params: this.#params, body, ...abortedBy({ signal }) })
  }
}

type ResumeRunOptions = Omit<BodyOf<'resumeRun'>, 'resumeData'> & Abortable

interface OfUser {
  /** The user, for requests without an authenticated user. */
  readonly userId?: string | undefined
}

export interface ConversationsOptions extends OfUser, Abortable {
  /** Words in the title. */
  readonly search?: string | undefined
  /** Maximum number of conversations. Default: 20. */
  readonly limit?: number | undefined
  /** Number of conversations to skip. Default: 0. */
  readonly offset?: number | undefined
}

/** One conversation of a user with an agent. An answer with its id as `conversationId` continues it. */
export class ConversationClient {
  /** Id of the conversation. */
  readonly id: string
  readonly #api: ApiClient
  readonly #params: { readonly id: string; readonly conversationId: string }
  readonly #query: { readonly userId?: string }

  constructor(
    api: ApiClient,
    params: {
      /** Id of the agent. */
      readonly id: string
      /** Id of the conversation. */
      readonly conversationId: string
    },
    userId: string | undefined,
  ) {
    this.#api = api
    this.#params = params
    this.#query = userId === undefined ? {} : { userId }
    this.id = params.conversationId
  }

  /**
   * Its newest messages, oldest first, as `UIMessage`s of the AI SDK.
   *
   * @param options `limit`: how many, default 20. `before`: only messages before the one with this id
   */
  messages({ limit, before, signal }: MessagesOptions = {}): Promise<UiMessage[]> {
    const query = { ...this.#query, ...numbers({ limit }), ...(before !== undefined && { before }) }
    return this.#api.listMessages({ params: this.#params, query, ...abortedBy({ signal }) })
  }

  /** Gives it another title. */
  rename(title: string, { signal }: Abortable = {}): Promise<Conversation> {
    const call = { params: this.#params, query: this.#query, body: { title } }
    return this.#api.renameConversation({ ...call, ...abortedBy({ signal }) })
  }

  /** Deletes it, with its messages, runs, log records and spans. */
  async delete({ signal }: Abortable = {}): Promise<void> {
    await this.#api.deleteConversation({ params: this.#params, query: this.#query, ...abortedBy({ signal }) })
  }
}

export interface MessagesOptions extends Abortable {
  /** Maximum number of messages. Default: 20. */
  readonly limit?: number | undefined
  /** Id of a message: only those before it. */
  readonly before?: string | undefined
}

/**
 * The JSON Schema of a schema: https://standardschema.dev/json-schema
 *
 * @throws TypeError when the schema can't be converted.
 */
function jsonSchemaOf(schema: AskedSchema): Record<string, unknown> {
  if (!('~standard' in schema)) return { ...schema }
  const { jsonSchema } = schema['~standard'] as JsonSchemaConverter
  if (jsonSchema) return jsonSchema.output({ target: 'draft-2020-12' })
  throw new TypeError(
    'generate(): options.schema has no JSON Schema. Use zod 4.2 or newer, or pass the JSON Schema object itself',
  )
}

interface JsonSchemaConverter {
  readonly jsonSchema?: {
    output(options: { readonly target: 'draft-2020-12' }): Record<string, unknown>
  }
}
