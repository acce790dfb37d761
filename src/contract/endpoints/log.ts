import { z } from 'zod'
import { endpoints } from '../endpoint.ts'
import { Id, Instant, InstantQuery, JsonObject, WordsQuery, wholeNumber } from '../fields.ts'
import { SpanId, TraceId } from './trace.ts'

/** The log levels, most verbose first. A filter by level is a minimum level. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

export const LogLevel = z.enum(LOG_LEVELS)
export type LogLevel = z.infer<typeof LogLevel>

/** A log record of the server or of user code. Secrets are redacted. */
export const LogRecord = z
  .object({
    id: z.string().describe('Number as digits; later records have greater numbers'),
    timestamp: Instant,
    level: LogLevel,
    message: z.string(),
    attributes: JsonObject.describe(
      'Structured data, such as `workflowId`, `stepId`, `agentId`, `requestId` and `err`',
    ),
    traceId: z.string().nullable().describe('Trace the record belongs to'),
    spanId: z.string().nullable().describe('Span the record belongs to'),
    executionId: z.string().nullable().describe('Execution the record belongs to'),
  })
  .meta({ id: 'LogRecord' })
export type LogRecord = z.infer<typeof LogRecord>

export const LOG_PAGE = { defaultLimit: 100, maxLimit: 1000 } as const

export const LogQuery = z.object({
  level: LogLevel.optional().describe('Minimum level'),
  traceId: TraceId.optional().describe('Only records of this trace'),
  spanId: SpanId.optional().describe('Only records of this span'),
  executionId: Id.optional().describe('Only records of this execution'),
  workflowId: Id.optional().describe('Only records of this workflow'),
  agentId: Id.optional().describe('Only records of this agent'),
  since: InstantQuery.optional().describe('Only records at or after this instant'),
  until: InstantQuery.optional().describe('Only records before this instant'),
  q: WordsQuery.optional().describe('Words in message or attributes, case-insensitive'),
  limit: wholeNumber({ min: 1, max: LOG_PAGE.maxLimit })
    .optional()
    .describe(`Maximum number of records; default ${LOG_PAGE.defaultLimit}`),
  cursor: z
    .string()
    .regex(/^\d{1,16}$/, 'Must be the value of the header X-Next-Cursor of the previous page')
    .optional()
    .describe('Header X-Next-Cursor of the previous page'),
})
export type LogQuery = z.infer<typeof LogQuery>

const listing = {
  method: 'GET',
  group: 'observability',
  tag: 'Logs',
  ofAllUsers: true,
  reply: { kind: 'data', schema: z.array(LogRecord) },
  errors: [400],
} as const

export const logEndpoints = endpoints({
  listLogs: {
    ...listing,
    path: '/api/logs',
    summary: 'Lists all log records, newest first; the header X-Next-Cursor is the cursor of the next page',
    query: LogQuery,
  },
  listTracedLogs: {
    ...listing,
    path: '/observability/logs',
    summary: 'Lists log records that belong to a trace, newest first',
    query: LogQuery,
  },
  listTraceLogs: {
    ...listing,
    path: '/observability/traces/:traceId/logs',
    summary: 'Lists the log records of a trace, newest first',
    errors: [400, 404],
    params: z.object({ traceId: TraceId.describe('Trace id') }),
    query: LogQuery.omit({ traceId: true }),
  },
  listSpanLogs: {
    ...listing,
    path: '/observability/spans/:spanId/logs',
    summary: 'Lists the log records of a span, newest first',
    errors: [400, 404],
    params: z.object({ spanId: SpanId.describe('Span id') }),
    query: LogQuery.omit({ spanId: true }),
  },
})
