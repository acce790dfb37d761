import type { ModelMessage } from 'ai'
import type { Agent } from '../../agent/agent.ts'
import type { ClientAdditions } from '../../agent/client-additions.ts'
import type { Waits } from '../../agent/answer/waiting/pending-calls.ts'
import type { User } from '../../contract/auth.ts'
import type { AgentRequestOptions } from '../../contract/endpoints/agent.ts'
import { AppError } from '../../lib/errors.ts'
import { readCallerSchema } from '../../lib/schema/caller-schema.ts'
import { compileSchema } from '../../lib/schema/schema.ts'
import type { JsonSchema, Schema } from '../../lib/schema/schema.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'

/** How the answer of a run is returned: at its end, as a stream, or `nested` to a step or an agent. */
export type Delivery = 'text' | 'object' | 'stream' | 'stream-object' | 'object-text' | 'chat' | 'nested'

/** The options of a request. `output` is set when they asked for an object, whose schema is that of the call. */
export interface AskedOptions extends Omit<AgentRequestOptions, 'output'> {
  readonly output?: 'object' | undefined
}

/** A request to an agent. */
export interface AgentCall {
  /** A text, or messages of the AI SDK. */
  readonly input: string | readonly object[]
  /** The path of the input in error messages. Default: `input`. */
  readonly inputPath?: string
  /** The last message takes the place of one of the conversation, and of all that follow it. */
  readonly rewinds?: boolean
  /** Of a part of a step: its messages may have earlier ones of the conversation, as those of clients. */
  readonly mayRepeat?: boolean
  /** The conversation is neither read nor extended. */
  readonly withoutMemory?: boolean
  readonly schema?: Schema | undefined
  readonly options?: AskedOptions | undefined
  /** Messages before the input, which are not part of it in the record. */
  readonly earlier?: readonly ModelMessage[] | undefined
  /** What the client adds to the agent. */
  readonly client?: ClientAdditions | undefined
  /** What an adapter of another API needs to show the run again. JSON; recorded beside the options. */
  readonly response?: Readonly<Record<string, unknown>> | undefined
  /** The tool calls that the answer may wait for. Default: approvals. */
  readonly waits?: Waits | undefined
  /** The authenticated user. It replaces `options.userId`, even when the user has no id. */
  readonly user?: User | undefined
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal
  /** The scope of the answer's span. */
  readonly trace?: TraceScope | undefined
}

/** A request of a client of the API. */
export interface ClientCall extends Omit<AgentCall, 'schema' | 'options'> {
  readonly schema?: JsonSchema | undefined
  readonly options?: AgentRequestOptions | undefined
  /** How its answer is returned. Only answers with a delivery survive the client and the process. */
  readonly delivery?: Delivery
}

/** The id of the caller; `null` when unknown. */
export function userIdOf({
  user,
  options,
}: Pick<AgentCall, 'user'> & { readonly options?: Pick<AskedOptions, 'userId'> | undefined }): string | null {
  return (user ? user.id : options?.userId) ?? null
}

/** The conversation to store the messages in, if any: an authenticated user without an id has none. */
export function conversationOf(agent: Agent, call: AgentCall): string | undefined {
  const isAnonymous = call.user !== undefined && call.user.id === undefined
  const hasNone = agent.memory === false || call.withoutMemory === true || isAnonymous
  return hasNone ? undefined : call.options?.conversationId
}

/**
 * Whether the answer survives the client and the process.
 *
 * @throws AppError `invalid_input` when it should wait at breakpoints, and does not.
 */
export function isResumable(
  agent: Agent,
  {
    delivery,
    options,
  }: Pick<ClientCall, 'delivery'> & {
    readonly options?: Pick<AskedOptions, 'pauseAt' | 'resumable'> | undefined
  },
): boolean {
  const { resumable = options?.pauseAt ? true : (agent.resumable ?? false), pauseAt } = options ?? {}
  if (pauseAt && !(resumable && delivery !== undefined))
    throw new AppError(
      'invalid_input',
      'options.pauseAt: needs an answer that is recorded; leave resumable out',
    )
  return delivery !== undefined && resumable
}

/**
 * The call of a client of the API, with its schema compiled.
 *
 * @throws AppError `invalid_input` when the schema is not valid or exceeds a limit.
 */
export function withCallerSchema(call: ClientCall): AgentCall {
  const { schema: own, options: { output, ...options } = {}, ...rest } = call
  const requested = output?.type === 'object' ? output.schema : undefined
  const schema = own ?? requested
  if (schema === undefined) return { ...rest, options }
  return {
    ...rest,
    schema: readCallerSchema(schema),
    options: requested ? { ...options, output: 'object' } : options,
  }
}

/** @throws AppError `invalid_input` when the schema of a step can't be compiled. */
export function checkSchema(schema: Schema): void {
  try {
    // the JSON Schema is generated on first use
    void compileSchema(schema).input
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_config')
      throw new AppError('invalid_input', `schema: ${error.message}`, { cause: error })
    throw error
  }
}

/**
 * The call of code whose answer survives the process: its schema is stored as JSON.
 *
 * @throws AppError `invalid_input` when the schema exceeds a limit.
 */
export function withStoredSchema(call: AgentCall): AgentCall {
  const { schema } = call
  return schema === undefined ? call : { ...call, schema: readCallerSchema(compileSchema(schema).input) }
}
