import { z } from 'zod'
import { Instant } from './fields.ts'
import { LoadFailure } from './load-failure.ts'

/** The server's own WebSocket channels. They are console routes, and observability ones under legacy `auth`. */
export const CHANNELS = {
  console: { path: '/ws', summary: 'Live topics for consoles: `config`, `executions`, `execution:<id>`' },
} as const

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
