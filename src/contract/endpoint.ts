import type { z } from 'zod'
import type { DecisionInterface } from './access/decision.ts'
import type { ResourceAction } from './auth.ts'
import type { ResourcePath } from './access/resource.ts'

/** The access class of a route: no authentication, the console key, or a valid user token. */
export type Access = 'public' | 'console' | 'user'

/**
 * The endpoint groups of the access table, with the access class of each under `authNext` and its protection under
 * the legacy `auth`.
 */
export const GROUPS = {
  management: { access: 'console', legacy: 'public' },
  docs: { access: 'console', legacy: 'public' },
  discovery: { access: 'console', legacy: 'public' },
  observability: { access: 'console', legacy: 'protected' },
  updates: { access: 'console', legacy: 'protected' },
  schedules: { access: 'console', legacy: 'protected' },
  setup: { access: 'user', legacy: 'protected' },
  execution: { access: 'user', legacy: 'protected' },
  inspection: { access: 'user', legacy: 'public' },
  login: { access: 'console', legacy: 'protected' },
  metadata: { access: 'public', legacy: 'public' },
  links: { access: 'public', legacy: 'public' },
  health: { access: 'public', legacy: 'public' },
  assets: { access: 'public', legacy: 'public' },
} as const satisfies Record<string, { access: Access; legacy: 'public' | 'protected' }>

export type Group = keyof typeof GROUPS

/** The tags of the API description, in the order of the reference page. */
export const TAGS = {
  Workflows: 'Workflows of the project, and the start of executions',
  Executions: 'Executions of workflows: their state, events and control',
  Schedules: 'Schedules, which start executions at times',
  Agents: 'Agents of the project: text, objects, chats and the history of their runs',
  A2A: 'Agents over the Agent2Agent protocol',
  OpenAI: 'Agents and workflows as models, for clients of the OpenAI API',
  Tools: 'Tools of the project, of its agents and of connected MCP servers',
  MCP: 'MCP servers of the project: served ones over Streamable HTTP, and connected ones',
  Evals: 'Evals of the project, and their runs',
  Observability: 'Status, settings, traces, metrics and activity of the server',
  Logs: 'Log records of the server and of user code',
  Updates: "Updates of the project's packages",
  Console: 'What the pages of the console read and change; programs can use it, too',
  Docs: 'Landing page, API description and API explorer',
  Health: 'Probes for process managers and load balancers',
} as const

export type Tag = keyof typeof TAGS

/** The `data` of the success envelope. `accepted` is the schema of a 202 response. */
interface DataReply {
  readonly kind: 'data'
  readonly schema: z.ZodType
  readonly accepted?: z.ZodType
  /** The schema for callers who may use the resource, but not read it. */
  readonly unreadable?: z.ZodType
  /** The status of every successful response. Default: 200. */
  readonly status?: 202
  /** The schema of the JSON of each `data:` line of a stream, which a client gets that accepts `text/event-stream`. */
  readonly events?: z.ZodType
  /** Members of the envelope in addition to `data`. */
  readonly beside?: z.ZodObject
  /** The list is paged: the response has `X-Total-Count` when the query has `limit` or `offset`. */
  readonly paged?: boolean
}

/** A Server-Sent Events stream; `schema` describes the JSON of each `data:` line. */
interface EventsReply {
  readonly kind: 'events'
  readonly schema: z.ZodType
  /** Headers in addition to those of every stream. */
  readonly headers?: Readonly<Record<string, string>>
  /** A stream of plain text that is sent on request, as described. */
  readonly text?: string
  /** There may be no stream: the response is a 204. */
  readonly optional?: true
}

/** A document without the envelope: a page, an asset, the API description. */
interface DocumentReply {
  readonly kind: 'document'
  readonly type: string
  /** The schema of a JSON document. */
  readonly schema?: z.ZodType
  /** A client with a current copy gets 304: the document has an `ETag`. */
  readonly revalidated?: true
  /** The error statuses for which browsers get a page. */
  readonly errorPages?: readonly number[]
}

/** The response of another protocol, as JSON or as a stream of messages. */
interface ProtocolReply {
  readonly kind: 'protocol'
  readonly schema: z.ZodType
  /** The schema of the JSON of each `data:` line of a stream. Default: there are no streams. */
  readonly events?: z.ZodType
  /** The schema of all errors. Default: the envelope. */
  readonly errorSchema?: z.ZodType
  /** A message that needs no response gets 202 without a body. */
  readonly accepted?: true
  /** Error statuses whose body is a JSON-RPC error or the envelope. The others have the envelope. */
  readonly rpcErrors: readonly number[]
}

export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path with `:name` segments, relative to the base URL. A trailing `*` matches the prefix and everything below. */
  readonly path: `/${string}`
  readonly group: Group
  readonly tag: Tag
  readonly summary: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly headers?: z.ZodObject
  readonly body?: z.ZodObject
  /** The body may be omitted, which means `{}`. */
  readonly bodyOptional?: true
  /** The body is not validated: the handler reports its errors in its own protocol. */
  readonly bodyUnchecked?: true
  readonly reply: DataReply | EventsReply | DocumentReply | ProtocolReply
  /** What a request does with the resource that the path names; required for such paths. */
  readonly action?: ResourceAction
  /** A request to it can respond to what waits for a decision. Without it, an endpoint can't make one. */
  readonly decides?: Exclude<DecisionInterface, 'cli' | 'code'>
  /** Members of `options` in the body that need console access as well, whatever the access class of the route is. */
  readonly consoleOptions?: readonly string[]
  /** Members of the body that need console access besides what the request needs. */
  readonly consoleMembers?: readonly string[]
  /** The contract opens it to all callers that the route admits, also for executions of other users. */
  readonly openByContract?: true
  /**
   * A list whose entries are decided one by one: `records` of users, of which a user gets no others than the own and
   * those that are anyone's, or `definitions` of the configuration.
   */
  readonly lists?: 'records' | 'definitions'
  /** The handler checks the resource, which is known from a record only. */
  readonly asksByRecord?: true
  /** The option of the configuration whose value `false` switches it off: there is no such route then. */
  readonly switchedBy?: 'openai'
  /** Has data of all users without their owner: opening it to users is logged as a warning. */
  readonly ofAllUsers?: true
  /** Served only under a configuration with this option; without it, the path is one of no endpoint. */
  readonly onlyWith?: 'authorizationServers'
  /** Error statuses in addition to those of every endpoint: 400, 401, 403, 500, 503. */
  readonly errors: readonly number[]
}

/** Checks the entries of a group and keeps their literal types. */
export function endpoints<const T extends Record<string, Endpoint>>(table: T & Authorized<T>): T {
  return table
}

/** Requires `action` of the endpoints whose path names a resource. */
type Authorized<T extends Record<string, Endpoint>> = {
  [K in keyof T]: T[K]['path'] extends ResourcePath ? { readonly action: ResourceAction } : unknown
}
