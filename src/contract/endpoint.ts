import type { z } from 'zod'

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
  setup: { access: 'user', legacy: 'protected' },
  execution: { access: 'user', legacy: 'protected' },
  inspection: { access: 'user', legacy: 'public' },
  health: { access: 'public', legacy: 'public' },
  assets: { access: 'public', legacy: 'public' },
} as const satisfies Record<string, { access: Access; legacy: 'public' | 'protected' }>

export type Group = keyof typeof GROUPS

/** The `data` of the success envelope. `accepted` is the schema of a 202 response. */
interface DataReply {
  readonly kind: 'data'
  readonly schema: z.ZodType
  readonly accepted?: z.ZodType
  /** The list is paged: the response has `X-Total-Count` when the query has `limit` or `offset`. */
  readonly paged?: boolean
}

/** A Server-Sent Events stream; `schema` describes the JSON of each `data:` line. */
interface EventsReply {
  readonly kind: 'events'
  readonly schema: z.ZodType
  /** Headers in addition to those of every stream. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A document without the envelope: a page, an asset, the API description. */
interface DocumentReply {
  readonly kind: 'document'
  readonly type: string
}

/** A message of another protocol, which defines its own schema. */
interface ProtocolReply {
  readonly kind: 'protocol'
  /** The media types of the response. */
  readonly types: readonly string[]
}

export interface Endpoint {
  readonly method: 'GET' | 'POST'
  /** Path with `:name` segments, relative to the base URL. A trailing `*` matches the prefix and everything below. */
  readonly path: `/${string}`
  readonly group: Group
  readonly tag: string
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
  /** Error statuses in addition to those of every endpoint: 400, 401, 403, 500, 503. */
  readonly errors: readonly number[]
}

/** Checks the entries of a group and keeps their literal types. */
export function endpoints<const T extends Record<string, Endpoint>>(table: T): T {
  return table
}
