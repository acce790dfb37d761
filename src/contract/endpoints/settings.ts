import { z } from 'zod'
import { ConfigChange } from '../channels.ts'
import { endpoints } from '../endpoint.ts'
import { Instant } from '../fields.ts'
import { StorageKind } from './observability.ts'

const Retention = z.object({ days: z.number(), count: z.int() })

/** A successful or failed load of the configuration. */
export const RecordedChange = z
  .intersection(z.object({ at: Instant.describe('Time of the load') }), ConfigChange)
  .meta({ id: 'RecordedChange' })
export type RecordedChange = z.infer<typeof RecordedChange>

/** The number of loads that are kept. */
export const MAX_CHANGES = 50

export const ServerSettings = z
  .object({
    version: z.string().describe('Version of agentserver'),
    node: z.string().describe('Version of Node.js'),
    production: z.boolean().describe('Whether the server runs in production mode'),
    auth: z.object({
      mode: z.enum(['none', 'authNext', 'auth']).describe('Authentication mode'),
      provider: z.string().nullable().describe('Type of the auth provider'),
      bypass: z.boolean().describe('Whether the development bypass is accepted'),
    }),
    keys: z
      .array(z.object({ name: z.string(), set: z.boolean(), inEnvFile: z.boolean() }))
      .describe('Environment variables, never their values; `inEnvFile`: defined in .env'),
    config: z.object({
      file: z
        .string()
        .nullable()
        .describe('Config file, relative to the project; null when a program made the configuration'),
      directory: z.string().nullable().describe('Directory of the project, absolute; null in production'),
      watched: z.boolean().describe('Whether it is reloaded on changes'),
      files: z.array(z.string()).describe('Project files it was loaded from, 500 at most'),
      fileCount: z.int().describe('Number of project files'),
    }),
    database: z.object({
      kind: StorageKind,
      place: z.string().describe('File or URL, without credentials'),
      durability: z.enum(['normal', 'full']),
    }),
    retention: z.object({
      executions: Retention,
      evals: Retention,
      telemetry: Retention,
      events: z.union([z.string(), z.number()]).describe('Duration for which events are kept'),
    }),
    observability: z.object({
      enabled: z.boolean().describe('Whether traces are recorded'),
      captureContent: z.boolean().describe('Whether prompts and responses are recorded'),
    }),
    model: z
      .object({
        name: z.string().nullable(),
        origin: z.string().describe('Variable that selects it, `demo`, or why there is none'),
      })
      .describe('Model of agents that name none'),
    updates: z.object({ allowInstall: z.boolean().describe('Whether the API may install updates') }),
    changes: z.array(RecordedChange).describe('Loads of the configuration since the start, newest first'),
    pricedModels: z
      .array(z.string())
      .describe('Models with a price in the configuration, as `provider/model`'),
  })
  .meta({ id: 'ServerSettings' })
export type ServerSettings = z.infer<typeof ServerSettings>

export const settingsEndpoints = endpoints({
  getServerSettings: {
    method: 'GET',
    path: '/observability/settings',
    group: 'observability',
    tag: 'Console',
    summary: 'Returns the configuration of the server, without secrets',
    reply: { kind: 'data', schema: ServerSettings },
    errors: [],
  },
})
