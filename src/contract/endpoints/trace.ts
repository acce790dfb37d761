import { z } from 'zod'
import { Cost } from '../agent-event.ts'
import { endpoints } from '../endpoint.ts'
import { CreatedQuery, Id, Instant, PageQuery, WordsQuery, wholeNumber } from '../fields.ts'

export const TraceId = z.string().regex(/^[0-9a-f]{32}$/, 'Must be 32 hexadecimal digits in lower case')
export const SpanId = z.string().regex(/^[0-9a-f]{16}$/, 'Must be 16 hexadecimal digits in lower case')

/** The status of a span. `ok`: ended without an error (OpenTelemetry's Unset and Ok). */
export const SpanStatus = z.enum(['running', 'ok', 'error'])
export type SpanStatus = z.infer<typeof SpanStatus>

/** OpenTelemetry's SpanKind. */
export const SpanKind = z.enum(['internal', 'server', 'client', 'producer', 'consumer'])
export type SpanKind = z.infer<typeof SpanKind>

const SpanAttributes = z.record(z.string(), z.unknown())

/** An OpenTelemetry span. Attributes follow the semantic conventions for HTTP, GenAI and MCP. */
export const Span = z
  .object({
    traceId: TraceId,
    spanId: SpanId,
    parentSpanId: SpanId.nullable().describe('Parent span; null for the root span'),
    name: z.string(),
    kind: SpanKind,
    startTime: Instant,
    endTime: Instant.nullable().describe('End of the span; null while it is running'),
    durationMs: z.number().nullable(),
    status: SpanStatus,
    statusMessage: z.string().optional().describe('Message of the error'),
    attributes: SpanAttributes.describe('Attributes by OpenTelemetry names'),
    events: z.array(z.object({ name: z.string(), time: Instant, attributes: SpanAttributes })),
    links: z.array(z.object({ traceId: TraceId, spanId: SpanId, attributes: SpanAttributes })),
  })
  .meta({ id: 'Span' })
export type Span = z.infer<typeof Span>

/** The start or end of a span. */
export interface SpanEvent {
  readonly type: 'span:start' | 'span:end'
  readonly span: Span
}

/** The subject of a trace: its outermost execution, agent, tool or MCP server. */
export const TraceEntity = z
  .object({ type: z.enum(['workflow', 'agent', 'tool', 'mcp']), id: z.string(), name: z.string() })
  .meta({ id: 'TraceEntity' })
export type TraceEntity = z.infer<typeof TraceEntity>

export const TraceUsage = z.object({
  inputTokens: z.int(),
  outputTokens: z.int(),
  totalTokens: z.int(),
  costUsd: Cost,
})
export type TraceUsage = z.infer<typeof TraceUsage>

export const TraceSummary = z
  .object({
    traceId: TraceId,
    name: z.string().describe("Name of the entity's span, or of the first span"),
    kind: SpanKind.describe('Kind of the first span; `server` when a request started the trace'),
    startTime: Instant,
    durationMs: z.number().describe('Time from the start of the first span to the latest end of a span'),
    status: SpanStatus,
    spanCount: z.int().describe('Number of spans'),
    usage: TraceUsage.nullable().describe('Tokens and cost of all model calls; null when there are none'),
    entity: TraceEntity.nullable().describe('Outermost execution, agent, tool or MCP server'),
  })
  .meta({ id: 'TraceSummary' })
export type TraceSummary = z.infer<typeof TraceSummary>

/** What a response can hold in a few milliseconds; more follow with the cursor. */
export const TRACE_SPANS = 5000

export const TraceSpansQuery = z.object({
  limit: wholeNumber({ min: 1, max: TRACE_SPANS })
    .optional()
    .describe(`Maximum number of spans; default ${TRACE_SPANS}`),
  cursor: SpanId.optional().describe('Header X-Next-Cursor of the previous page'),
})

export const TraceDetail = z
  .object({
    traceId: TraceId,
    spans: z.array(Span).describe('Spans in the order of their start'),
    spanCount: z.int().describe('Number of spans in the whole trace'),
    truncated: z.boolean().describe('Whether the trace has more spans after these'),
  })
  .meta({ id: 'TraceDetail' })
export type TraceDetail = z.infer<typeof TraceDetail>

export const TraceQuery = z.object({
  traceId: TraceId.optional().describe('Only this trace: its summary without its spans, if it was recorded'),
  agentId: Id.optional().describe('Only traces with a span of this agent'),
  workflowId: Id.optional().describe('Only traces with an execution of this workflow'),
  executionId: Id.optional().describe('Only the trace of this execution'),
  conversationId: z.string().min(1).max(256).optional().describe('Only traces of this conversation'),
  userId: z.string().min(1).max(256).optional().describe('Only traces of this user'),
  status: SpanStatus.optional().describe('Only traces with this status'),
  from: CreatedQuery.shape.from.describe('Only traces started after this instant'),
  to: CreatedQuery.shape.to.describe('Only traces started before this instant'),
  minDurationMs: wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER })
    .optional()
    .describe('Only traces that lasted at least this long'),
  q: WordsQuery.optional().describe('Words that the name contains, case-insensitive'),
  limit: PageQuery.shape.limit,
  cursor: z
    .string()
    .regex(/^\d{1,15}-\d{1,15}$/, 'Must be the value of the header X-Next-Cursor of the previous page')
    .optional()
    .describe('Header X-Next-Cursor of the previous page'),
})

export const traceEndpoints = endpoints({
  listTraces: {
    method: 'GET',
    path: '/observability/traces',
    ofAllUsers: true,
    group: 'observability',
    tag: 'Observability',
    summary: 'Lists traces, newest first; the header X-Next-Cursor is the cursor of the next page',
    query: TraceQuery,
    reply: { kind: 'data', schema: z.array(TraceSummary) },
    errors: [],
  },
  getTrace: {
    method: 'GET',
    path: '/observability/traces/:traceId',
    ofAllUsers: true,
    group: 'observability',
    tag: 'Observability',
    summary: 'Returns a trace with its spans; the header X-Next-Cursor is the cursor of the next spans',
    params: z.object({ traceId: TraceId.describe('Trace id') }),
    query: TraceSpansQuery,
    reply: { kind: 'data', schema: TraceDetail },
    errors: [404],
  },
  getSpan: {
    method: 'GET',
    path: '/observability/spans/:spanId',
    ofAllUsers: true,
    group: 'observability',
    tag: 'Observability',
    summary: 'Returns a span',
    params: z.object({ spanId: SpanId.describe('Span id') }),
    reply: { kind: 'data', schema: Span },
    errors: [404],
  },
})
