import type { z } from 'zod'

/** Who may call a route: anyone, the holder of the console key, or a user with a valid token. */
export type Access = 'public' | 'console' | 'user'

/**
 * The endpoint groups of the access table, with the class each has under `authNext` and what the legacy
 * `auth` mode does with it.
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

/** `data` of the success envelope. `accepted` is the shape answered with 202 instead. */
interface DataReply {
  readonly kind: 'data'
  readonly schema: z.ZodType
  readonly accepted?: z.ZodType
  /** The list can be paged: the reply carries `X-Total-Count` when `limit` or `offset` was asked for. */
  readonly paged?: boolean
}

/** A Server-Sent Events stream; `schema` describes the JSON of each `data:` line. */
interface EventsReply {
  readonly kind: 'events'
  readonly schema: z.ZodType
  /** Sent with the stream, beside those every stream has. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A bare document outside the envelope: a page, an asset, the API description. */
interface DocumentReply {
  readonly kind: 'document'
  readonly type: string
}

/** A message of another protocol; who speaks it knows its shape. */
interface ProtocolReply {
  readonly kind: 'protocol'
  /** The media types it comes in. */
  readonly types: readonly string[]
}

export interface Endpoint {
  readonly method: 'GET' | 'POST'
  /** Path with `:name` segments, relative to the base URL. A last `*` stands for everything below, and for nothing. */
  readonly path: `/${string}`
  readonly group: Group
  readonly tag: string
  readonly summary: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly headers?: z.ZodObject
  readonly body?: z.ZodObject
  /** The body may be left out and then counts as `{}`. */
  readonly bodyOptional?: true
  /** The body may be anything: what is wrong with it is the handler's to tell, as its protocol wants it told. */
  readonly bodyUnchecked?: true
  readonly reply: DataReply | EventsReply | DocumentReply | ProtocolReply
  /** The error statuses this endpoint answers with, beside those every endpoint may (400, 401, 403, 500, 503). */
  readonly errors: readonly number[]
}

/** Keeps the literal types of a group's entries while checking their shape. */
export function endpoints<const T extends Record<string, Endpoint>>(table: T): T {
  return table
}
