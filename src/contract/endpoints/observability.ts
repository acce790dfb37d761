import { z } from 'zod'
import { endpoints } from '../endpoint.ts'
import { Instant } from '../fields.ts'
import { LoadFailure } from '../load-failure.ts'

/** The generation of the user's code that is in service. */
export const GenerationStatus = z
  .object({
    number: z.int().describe('Number of the generation since the server started, from 1'),
    at: Instant.describe('Time it was put into service'),
    durationMs: z.number().describe('Duration of its load'),
    files: z.array(z.string()).describe('Changed files that caused the load; empty for the first one'),
    modules: z.int().describe('Number of project files it was loaded from'),
    ageMs: z.int().describe('Time in service'),
  })
  .meta({ id: 'GenerationStatus' })

export const ConfigStatus = z
  .object({
    state: z.enum(['ok', 'error']).describe('Whether the newest version of the files was loaded'),
    error: LoadFailure.optional().describe('Why the load failed'),
  })
  .meta({ id: 'ConfigStatus' })

const ExportStatus = z
  .object({
    enabled: z.boolean(),
    endpoint: z.string().nullable().describe('OTLP endpoint'),
    lastSuccessAt: Instant.nullable().describe('Time of the last successful export'),
    lastError: z.string().nullable().describe('Message of the last error; null after a success'),
    dropped: z.int().describe('Number of spans that could not be exported'),
  })
  .meta({ id: 'ExportStatus' })

/** The kinds of database. The URL in the configuration decides. */
export const StorageKind = z.enum(['sqlite', 'memory', 'postgres'])
export type StorageKind = z.infer<typeof StorageKind>

export const ObservabilityStatus = z
  .object({
    production: z.boolean().describe('Whether the server runs in production mode'),
    enabled: z.boolean().describe('Whether traces are recorded; logs always are'),
    storage: StorageKind.describe('Kind of the database'),
    telemetryStorage: StorageKind.describe(
      'Kind of the database of logs and traces. `sqlite` beside `postgres`: a file of each machine (`observability.store`), so that traces and logs have only what ran on the machine that responds',
    ),
    traceCount: z.int().describe('Number of stored traces'),
    spanCount: z.int().describe('Number of stored spans'),
    dropped: z.int().describe('Number of spans that could not be stored since the start'),
    logCount: z.int().describe('Number of stored log records'),
    logsDropped: z.int().describe('Number of log records that could not be stored since the start'),
    export: ExportStatus.describe('Export of spans over OTLP'),
    keysConfigured: z.boolean().describe('Whether SERVICE_PUBLIC_KEY and SERVICE_SECRET_KEY are set'),
    generation: GenerationStatus.describe('Generation in service'),
    config: ConfigStatus.describe('State of the newest load'),
  })
  .meta({ id: 'ObservabilityStatus' })

/** A process that serves the configuration. With SQLite there is one. */
export const MachineSummary = z
  .object({
    id: z.string().describe('Host name and process id'),
    release: z.string().describe('Version of agentserver and hash of the project: `0.1.0+3f9a2c41d0e5`'),
    load: z.number().describe('Share of time in which the event loop was busy, from 0 to 1'),
    executions: z.int().describe('Number of running executions'),
    lastBeatAt: Instant.describe('Time of the last sign of life'),
    self: z.boolean().describe('Whether this machine sent the response'),
  })
  .meta({ id: 'MachineSummary' })
export type MachineSummary = z.infer<typeof MachineSummary>

export const observabilityEndpoints = endpoints({
  getMetrics: {
    method: 'GET',
    path: '/observability/metrics',
    group: 'observability',
    tag: 'Observability',
    summary: 'Returns metrics since the start, in the Prometheus text format',
    reply: { kind: 'document', type: 'text/plain' },
    errors: [],
  },
  getObservabilityStatus: {
    method: 'GET',
    path: '/observability/status',
    group: 'observability',
    tag: 'Observability',
    summary:
      'Returns the status of recording and export, the generation in service, and why a newer one failed to load',
    reply: { kind: 'data', schema: ObservabilityStatus },
    errors: [],
  },
  listMachines: {
    method: 'GET',
    path: '/observability/machines',
    group: 'observability',
    tag: 'Observability',
    summary: 'Lists the machines that serve the configuration with the same database, oldest first',
    reply: { kind: 'data', schema: z.array(MachineSummary) },
    errors: [],
  },
})
