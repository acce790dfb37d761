import type { WebSocket } from 'ws'
import { z } from 'zod'
import type { User } from './auth.ts'
import { Id, Instant, WordsQuery } from './fields.ts'
import { LoadFailure } from './load-failure.ts'
import { LogLevel } from './endpoints/log.ts'
import { TraceId } from './endpoints/trace.ts'

/** A WebSocket channel of the server's own. */
interface Channel {
  /** A path, or a pattern of paths that ends in `/**`. */
  readonly path: `/${string}`
  readonly summary: string
  /** The query of the handshake. */
  readonly query: z.ZodObject
}

/**
 * The server's own WebSocket channels; each has a source in `ws/`. They are console routes, and
 * observability ones under legacy `auth`.
 */
export const CHANNELS = {
  console: {
    path: '/ws',
    summary: 'Topics: `config`, `executions`, `execution:<id>`, `traces`, `trace:<id>`, `logs`',
    query: z.object({}),
  },
  logs: {
    path: '/ws/logs',
    summary: 'Log records as they are made',
    query: z.object({
      level: LogLevel.optional().describe('This level and those above'),
      q: WordsQuery.optional().describe(
        'Words that the message or the attributes have, in any order, in any case',
      ),
      traceId: TraceId.optional(),
      executionId: Id.optional(),
    }),
  },
  observability: {
    path: '/ws/observability/**',
    summary: 'Spans as they start and end',
    query: z.object({
      agentId: Id.optional().describe('Spans of this agent, and those below them'),
      workflowId: Id.optional().describe('Spans of this workflow, and those below them'),
    }),
  },
} as const satisfies Record<string, Channel>

export type Channels = typeof CHANNELS

/** What a client of the console channel sends. */
export const ChannelRequest = z.object({
  type: z.enum(['subscribe', 'unsubscribe']),
  topics: z
    .array(
      z.object({
        topic: z.string().max(256),
        after: z
          .int()
          .min(0)
          .optional()
          .describe(
            'Sequence number of the last frame already seen; 0 for all that are kept, none for those from now on',
          ),
      }),
    )
    .max(100),
})
export type ChannelRequest = z.infer<typeof ChannelRequest>

/** What there is to say of the configuration: the topic `config`. */
export const ConfigChange = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('config:loaded'),
    data: z.object({
      generation: z.int(),
      at: Instant,
      durationMs: z.number(),
      files: z.array(z.string()),
      added: z
        .array(z.string())
        .describe('Workflows and agents that are new, as `workflow:<id>`, `agent:<id>`'),
      changed: z.array(z.string()).describe('Workflows whose steps are others than before'),
      removed: z.array(z.string()),
    }),
  }),
  z.object({
    type: z.literal('config:error'),
    data: LoadFailure.extend({ generation: z.int().describe('The one that stays in service; 0 for none') }),
  }),
])
export type ConfigChange = z.infer<typeof ConfigChange>

/** The context of a WebSocket, passed to its handler. */
export interface SocketContext {
  /** The authenticated user, if any. */
  readonly user: User | undefined
  /** The handshake request. */
  readonly request: Request
  /** The values of the path's `:name` segments. */
  readonly params: Readonly<Record<string, string>>
}

/** Handles one WebSocket. The socket is closed when the handler throws. */
export type SocketHandler = (socket: WebSocket, context: SocketContext) => void | Promise<void>
