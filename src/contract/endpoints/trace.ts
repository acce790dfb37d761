import { z } from 'zod'
import { endpoints } from '../endpoint.ts'
import { CreatedQuery, Id, Instant, PageQuery, WordsQuery, wholeNumber } from '../fields.ts'

export const TraceId = z.string().regex(/^[0-9a-f]{32}$/, 'Must be 32 hexadecimal digits in lower case')
export const SpanId = z.string().regex(/^[0-9a-f]{16}$/, 'Must be 16 hexadecimal digits in lower case')

/** `running`: has not ended. `ok`: ended without an error (OpenTelemetry's Unset and Ok). */
export const SpanStatus = z.enum(['running', 'ok', 'error'])
export type SpanStatus = z.infer<typeof SpanStatus>

/** OpenTelemetry's SpanKind. */
export const SpanKind = z.enum(['internal', 'server', 'client', 'producer', 'consumer'])
export type SpanKind = z.infer<typeof SpanKind>

const SpanAttributes = z.record(z.string(), z.unknown())

/** A span with OpenTelemetry's names. Attributes follow its semantic conventions, HTTP, GenAI and MCP. */
export const Span = z
  .object({
    traceId: TraceId,
    spanId: SpanId,
    parentSpanId: SpanId.nullable(),
    name: z.string(),
    kind: SpanKind,
    startTime: Instant,
    endTime: Instant.nullable(),
    durationMs: z.number().nullable(),
    status: SpanStatus,
    statusMessage: z.string().optional(),
    attributes: SpanAttributes,
    events: z.array(z.object({ name: z.string(), time: Instant, attributes: SpanAttributes })),
    links: z.array(z.object({ traceId: TraceId, spanId: SpanId, attributes: SpanAttributes })),
  })
  .meta({ id: 'Span' })
export type Span = z.infer<typeof Span>

/** What happens to spans, as it happens. */
export interface SpanEvent {
  readonly type: 'span:start' | 'span:end'
  readonly span: Span
}

/** What a trace is about: its outermost execution, agent or tool. */
export const TraceEntity = z
  .object({ type: z.enum(['workflow', 'agent', 'tool', 'mcp']), id: z.string(), name: z.string() })
  .meta({ id: 'TraceEntity' })
export type TraceEntity = z.infer<typeof TraceEntity>

export const TraceUsage = z.object({
  inputTokens: z.int(),
  outputTokens: z.int(),
  totalTokens: z.int(),
})
export type TraceUsage = z.infer<typeof TraceUsage>

export const TraceSummary = z
  .object({
    traceId: TraceId,
    name: z.string().describe("The name of the entity's span, else of the first span"),
    kind: SpanKind.describe('Of the first span: `server` where a request began the trace'),
    startTime: Instant,
    durationMs: z.number().describe('From the start of the first span to the end of the last so far'),
    status: SpanStatus,
    spanCount: z.int(),
    usage: TraceUsage.nullable().describe('Tokens of all model calls; null without any'),
    entity: TraceEntity.nullable(),
  })
  .meta({ id: 'TraceSummary' })
export type TraceSummary = z.infer<typeof TraceSummary>

export const TRACE_SPANS = 5000

export const TraceSpansQuery = z.object({
  limit: wholeNumber({ min: 1, max: TRACE_SPANS })
    .optional()
    .describe(`Spans at once, ${TRACE_SPANS} unless given`),
  cursor: SpanId.optional().describe('The header X-Next-Cursor of the page before'),
})

export const TraceDetail = z
  .object({
    traceId: TraceId,
    spans: z.array(Span).describe('In the order in which they started'),
    spanCount: z.int().describe('Of the whole trace'),
    truncated: z.boolean().describe('Whether more spans follow these'),
  })
  .meta({ id: 'TraceDetail' })
export type TraceDetail = z.infer<typeof TraceDetail>

export const TraceQuery = z.object({
  agentId: Id.optional().describe('Traces with a span of this agent'),
  workflowId: Id.optional().describe('Traces with an execution of this workflow'),
  executionId: Id.optional(),
  conversationId: z.string().min(1).max(256).optional(),
  userId: z.string().min(1).max(256).optional(),
  status: SpanStatus.optional(),
  from: CreatedQuery.shape.from.describe('Started after this instant'),
  to: CreatedQuery.shape.to.describe('Started before this instant'),
  minDurationMs: wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER }).optional(),
  q: WordsQuery.optional().describe('Words that the name has, each of them, in any case'),
  limit: PageQuery.shape.limit,
  cursor: z
    .string()
    .regex(/^\d{1,15}-\d{1,15}$/, 'Must be what the header X-Next-Cursor of the page before said')
    .optional()
    .describe('The header X-Next-Cursor of the page before'),
})

export const traceEndpoints = endpoints({
  listTraces: {
    method: 'GET',
    path: '/observability/traces',
    group: 'observability',
    tag: 'Observability',
    summary: 'Traces, newest first; the header X-Next-Cursor leads to the next page',
    query: TraceQuery,
    reply: { kind: 'data', schema: z.array(TraceSummary) },
    errors: [],
  },
  getTrace: {
    method: 'GET',
    path: '/observability/traces/:traceId',
    group: 'observability',
    tag: 'Observability',
    summary: 'One trace with its spans; the header X-Next-Cursor leads to more',
    params: z.object({ traceId: TraceId }),
    query: TraceSpansQuery,
    reply: { kind: 'data', schema: TraceDetail },
    errors: [404],
  },
  getSpan: {
    method: 'GET',
    path: '/observability/spans/:spanId',
    group: 'observability',
    tag: 'Observability',
    summary: 'One span',
    params: z.object({ spanId: SpanId }),
    reply: { kind: 'data', schema: Span },
    errors: [404],
  },
})
