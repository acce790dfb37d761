import { z } from 'zod'
import { endpoints } from '../endpoint.ts'
import { Instant } from '../fields.ts'
import { LoadFailure } from '../load-failure.ts'

/** One state of the user's code that is in service. */
export const GenerationStatus = z
  .object({
    number: z.int().describe('Counted from 1 since the server started'),
    at: Instant.describe('When it came into service'),
    durationMs: z.number().describe('How long it took to load'),
    files: z.array(z.string()).describe('The files whose change led to it; none for the first one'),
    modules: z.int().describe('How many files of the project it is made of'),
    ageMs: z.int(),
  })
  .meta({ id: 'GenerationStatus' })

export const ConfigStatus = z
  .object({
    state: z.enum(['ok', 'error']).describe('Whether the files as they are now could be loaded'),
    error: LoadFailure.optional(),
  })
  .meta({ id: 'ConfigStatus' })

const ExportStatus = z
  .object({
    enabled: z.boolean(),
    endpoint: z.string().nullable(),
    lastSuccessAt: Instant.nullable(),
    lastError: z.string().nullable(),
    dropped: z.int().describe('Spans that could not be sent'),
  })
  .meta({ id: 'ExportStatus' })

/** The kinds of database, as a configuration names them by URL. */
export const StorageKind = z.enum(['sqlite', 'memory'])
export type StorageKind = z.infer<typeof StorageKind>

export const ObservabilityStatus = z
  .object({
    production: z.boolean(),
    enabled: z.boolean().describe('Whether traces are recorded; the log is kept in any case'),
    storage: StorageKind,
    traceCount: z.int(),
    spanCount: z.int(),
    dropped: z.int().describe('Spans that could not be stored since the start'),
    logCount: z.int(),
    logsDropped: z.int().describe('Log records that could not be stored since the start'),
    export: ExportStatus,
    keysConfigured: z.boolean().describe('Whether SERVICE_PUBLIC_KEY and SERVICE_SECRET_KEY are set'),
    generation: GenerationStatus,
    config: ConfigStatus,
  })
  .meta({ id: 'ObservabilityStatus' })

export const observabilityEndpoints = endpoints({
  getMetrics: {
    method: 'GET',
    path: '/observability/metrics',
    group: 'observability',
    tag: 'Observability',
    summary: 'Counts and durations since the start, in the text format of Prometheus',
    reply: { kind: 'document', type: 'text/plain' },
    errors: [],
  },
  getObservabilityStatus: {
    method: 'GET',
    path: '/observability/status',
    group: 'observability',
    tag: 'Observability',
    summary:
      'What is recorded and exported, which generation of the code serves, and why a newer one does not',
    reply: { kind: 'data', schema: ObservabilityStatus },
    errors: [],
  },
})
