import type { WebSocket } from 'ws'
import { z } from 'zod'
import type { User } from './auth.ts'
import { Id, Instant, WordsQuery } from './fields.ts'
import { LoadFailure } from './load-failure.ts'
import { LogLevel } from './endpoints/log.ts'
import { TraceId } from './endpoints/trace.ts'

/** A WebSocket channel of the server. */
interface Channel {
  /** A path, or a pattern of paths that ends in `/**`. */
  readonly path: `/${string}`
  readonly summary: string
  /** The query parameters of the handshake. */
  readonly query: z.ZodObject
}

/**
 * The WebSocket channels of the server; each has a source in `ws/`. They are console routes, and under the legacy
 * `auth` they belong to the observability group.
 */
export const CHANNELS = {
  console: {
    path: '/ws',
    summary:
      'Sends the frames of subscribed topics: `config`, `pins`, `executions`, `execution:<id>`, `traces`, `trace:<id>`, `calls`, `logs`',
    query: z.object({}),
  },
  logs: {
    path: '/ws/logs',
    summary: 'Sends log records as they are written',
    query: z.object({
      level: LogLevel.optional().describe('Minimum level'),
      q: WordsQuery.optional().describe(
        'Words that the message or the attributes contain, in any order, case-insensitive',
      ),
      traceId: TraceId.optional().describe('Records of this trace'),
      executionId: Id.optional().describe('Records of this execution'),
    }),
  },
  observability: {
    path: '/ws/observability/**',
    summary: 'Sends spans as they start and end',
    query: z.object({
      agentId: Id.optional().describe('Spans of this agent and their descendants'),
      workflowId: Id.optional().describe('Spans of this workflow and their descendants'),
    }),
  },
} as const satisfies Record<string, Channel>

export type Channels = typeof CHANNELS

/** A message of a client of the console channel. */
export const ChannelRequest = z.object({
  type: z.enum(['subscribe', 'unsubscribe']),
  topics: z
    .array(
      z.object({
        topic: z.string().max(256).describe('Name of the topic'),
        after: z
          .int()
          .min(0)
          .optional()
          .describe(
            'Sequence number of the last frame received; 0: all stored frames, omitted: new frames only',
          ),
        include: z
          .enum(['contract'])
          .optional()
          .describe('`contract`: only the stored frames, without those of agents that answer'),
      }),
    )
    .max(100),
})
export type ChannelRequest = z.infer<typeof ChannelRequest>

/** A load of the configuration, or one that failed: a frame of the topic `config`. */
export const ConfigChange = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('config:loaded'),
    data: z.object({
      generation: z.int().describe('Number of the generation, from 1'),
      at: Instant.describe('Time of the load'),
      durationMs: z.number().describe('Duration of the load'),
      files: z.array(z.string()).describe('Changed files, relative to the project; empty on the first load'),
      added: z.array(z.string()).describe('New workflows and agents, as `workflow:<id>` and `agent:<id>`'),
      changed: z.array(z.string()).describe('Workflows whose steps changed'),
      removed: z.array(z.string()).describe('Removed workflows and agents'),
    }),
  }),
  z.object({
    type: z.literal('config:error'),
    data: LoadFailure.extend({ generation: z.int().describe('Generation that stays in service; 0: none') }),
  }),
])
export type ConfigChange = z.infer<typeof ConfigChange>

/** The context of a WebSocket, passed to its handler. */
export interface SocketContext {
  /** The authenticated user, if any. Public endpoints have it if the auth provider needs no network. */
  readonly user: User | undefined
  /** Resolves to the authenticated user. On public endpoints it waits for the auth provider, at most 10 seconds. */
  readonly identify: () => Promise<User | undefined>
  /** The handshake request. */
  readonly request: Request
  /** The values of the path's `:name` segments. */
  readonly params: Readonly<Record<string, string>>
}

/** Handles one WebSocket. The socket is closed when the handler throws. */
export type SocketHandler = (socket: WebSocket, context: SocketContext) => void | Promise<void>

/**
 * A frame of the topic `calls`. Nodes are named by kind and id: `workflow:order`, `agent:support`, `tool:lookup`. `from`
 * is null for calls from outside. `call:tokens` reports those of a model call that has ended.
 */
export type CallFrame =
  | { readonly type: 'call:start'; readonly data: CallStart }
  | { readonly type: 'call:end'; readonly data: CallStart & { readonly error: string | null } }
  | { readonly type: 'call:tokens'; readonly data: { readonly node: string; readonly tokens: number } }

export interface CallStart {
  /** Unique among the calls that run: made of the id of its span. */
  readonly id: string
  readonly from: string | null
  readonly to: string
  readonly traceId: string
  /** The execution that is called, or within which the call is made; missing for those of other callers. */
  readonly executionId?: string
}
