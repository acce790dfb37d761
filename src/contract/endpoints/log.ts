import { z } from 'zod'
import { endpoints } from '../endpoint.ts'
import { Id, Instant, InstantQuery, JsonObject, WordsQuery, wholeNumber } from '../fields.ts'
import { SpanId, TraceId } from './trace.ts'

/** From the most talkative on. A filter by level means this one and those after it. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

export const LogLevel = z.enum(LOG_LEVELS)
export type LogLevel = z.infer<typeof LogLevel>

/** One record of the log, of the system or of user code. Secrets are out of it. */
export const LogRecord = z
  .object({
    id: z
      .string()
      .describe('Digits that grow with time: a record that was made later has the greater number'),
    timestamp: Instant,
    level: LogLevel,
    message: z.string(),
    attributes: JsonObject.describe(
      'What else was logged; `workflowId`, `stepId`, `agentId`, `requestId` and `err` among it, where they apply',
    ),
    traceId: z.string().nullable(),
    spanId: z.string().nullable(),
    executionId: z.string().nullable(),
  })
  .meta({ id: 'LogRecord' })
export type LogRecord = z.infer<typeof LogRecord>

export const LOG_PAGE = { defaultLimit: 100, maxLimit: 1000 } as const

export const LogQuery = z.object({
  level: LogLevel.optional().describe('This level and those above it'),
  traceId: TraceId.optional(),
  spanId: SpanId.optional(),
  executionId: Id.optional(),
  workflowId: Id.optional().describe('Logged by executions of this workflow'),
  agentId: Id.optional().describe('Logged by answers of this agent'),
  since: InstantQuery.optional().describe('Logged at this instant or later'),
  until: InstantQuery.optional().describe('Logged before this instant'),
  q: WordsQuery.optional().describe(
    'Words that the message or the attributes have, each of them, in any case',
  ),
  limit: wholeNumber({ min: 1, max: LOG_PAGE.maxLimit })
    .optional()
    .describe(`Page size, ${LOG_PAGE.defaultLimit} unless given`),
  cursor: z
    .string()
    .regex(/^\d{1,16}$/, 'Must be what the header X-Next-Cursor of the page before said')
    .optional()
    .describe('The header X-Next-Cursor of the page before'),
})
export type LogQuery = z.infer<typeof LogQuery>

const listing = {
  method: 'GET',
  group: 'observability',
  tag: 'Logs',
  reply: { kind: 'data', schema: z.array(LogRecord) },
  errors: [400],
} as const

export const logEndpoints = endpoints({
  listLogs: {
    ...listing,
    path: '/api/logs',
    summary: 'All log records, newest first; the header X-Next-Cursor leads to the next page',
    query: LogQuery,
  },
  listTracedLogs: {
    ...listing,
    path: '/observability/logs',
    summary: 'Log records that belong to a trace, newest first',
    query: LogQuery,
  },
  listTraceLogs: {
    ...listing,
    path: '/observability/traces/:traceId/logs',
    summary: 'Log records of one trace, newest first',
    errors: [400, 404],
    params: z.object({ traceId: TraceId }),
    query: LogQuery.omit({ traceId: true }),
  },
  listSpanLogs: {
    ...listing,
    path: '/observability/spans/:spanId/logs',
    summary: 'Log records of one span, newest first',
    errors: [400, 404],
    params: z.object({ spanId: SpanId }),
    query: LogQuery.omit({ spanId: true }),
  },
})
