import { z } from 'zod'
import { ConfigChange } from '../channels.ts'
import { endpoints } from '../endpoint.ts'
import { Instant } from '../fields.ts'
import { StorageKind } from './observability.ts'

const Retention = z.object({ days: z.number(), count: z.int() })

/** A load of the configuration, or one that failed. */
export const RecordedChange = z
  .intersection(z.object({ at: Instant }), ConfigChange)
  .meta({ id: 'RecordedChange' })
export type RecordedChange = z.infer<typeof RecordedChange>

/** How many loads are remembered. */
export const MAX_CHANGES = 50

export const ServerSettings = z
  .object({
    version: z.string(),
    node: z.string().describe('The version of Node.js'),
    production: z.boolean(),
    auth: z.object({
      mode: z.enum(['none', 'authNext', 'auth']),
      provider: z.string().nullable().describe("The provider's type"),
      bypass: z.boolean().describe('Whether the development bypass opens routes'),
    }),
    keys: z
      .array(z.object({ name: z.string(), set: z.boolean(), inEnvFile: z.boolean() }))
      .describe('Variables of the environment, never their values; `inEnvFile`: .env assigns it'),
    config: z.object({
      file: z
        .string()
        .nullable()
        .describe('Relative to the project; null when a program made the configuration'),
      watched: z.boolean().describe('Whether changes are taken up by themselves'),
      files: z.array(z.string()).describe('The files of the project that it is made of, relative to it'),
      fileCount: z.int().describe('How many there are: the list ends at 500'),
    }),
    database: z.object({
      kind: StorageKind,
      place: z.string().describe('The file; without credentials'),
      durability: z.enum(['normal', 'full']),
    }),
    retention: z.object({ executions: Retention, telemetry: Retention }),
    observability: z.object({ enabled: z.boolean(), captureContent: z.boolean() }),
    model: z
      .object({
        name: z.string().nullable(),
        origin: z.string().describe('The variable that decided, `demo`, or why there is none'),
      })
      .describe('What answers for agents that name no model'),
    updates: z.object({ allowInstall: z.boolean().describe('Whether the API may install them here') }),
    changes: z.array(RecordedChange).describe('Loads since the server started, newest first'),
  })
  .meta({ id: 'ServerSettings' })
export type ServerSettings = z.infer<typeof ServerSettings>

export const settingsEndpoints = endpoints({
  getServerSettings: {
    method: 'GET',
    path: '/observability/settings',
    group: 'observability',
    tag: 'Observability',
    summary: 'How this server is configured and what it watches; no secrets',
    reply: { kind: 'data', schema: ServerSettings },
    errors: [],
  },
})
