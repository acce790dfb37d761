import stringWidth from 'string-width'
import { ATTRIBUTE } from '../../contract/attributes.ts'
import type { Span, TraceDetail } from '../../contract/endpoints/trace.ts'
import { formatCost } from '../../contract/usage/cost.ts'
import { duration } from './duration.ts'
import { fit } from './table.ts'
import { oneLine } from './terminal.ts'
import type { Terminal } from './terminal.ts'

/** Used if stdout is not a terminal. */
const DEFAULT_WIDTH = 100
const MAX_WIDTH = 200
const MIN_BAR_WIDTH = 10
const MIN_NAME_WIDTH = 12
const TIME_WIDTH = 10

type Screen = Pick<Terminal, 'paint' | 'width'>

/** Formats a trace as a waterfall: one line per span, with a bar for its start and duration. */
export function waterfall({ traceId, spans, spanCount, truncated }: TraceDetail, screen: Screen): string {
  const { paint } = screen
  const rows = spanTree(spans)
  const period = periodOf(spans)
  const names = rows.map(({ span, lead }) => lead + oneLine(span.name))
  const notes = rows.map(({ span }) => noteOf(span))
  const widths = columns(names, notes, screen.width)
  const lines = rows.map(({ span }, index) => {
    const { symbol, color } = statusOf(span)
    const parts = [
      paint[color](symbol),
      fit(names[index] ?? '', widths.name),
      ...(widths.bar === 0 ? [] : [paint[color](barOf(span, period, widths.bar))]),
      timeOf(span).padStart(TIME_WIDTH),
      ...(widths.note === 0 ? [] : [paint.dim(fit(notes[index] ?? '', widths.note).trimEnd())]),
    ]
    return parts.join(' ').trimEnd()
  })
  const heading = `${paint.dim('trace')} ${traceId} ${paint.dim(`${count(spanCount)}, ${preciseDuration(period.to - period.from)}`)}`
  const rest = truncated ? [paint.dim(`${spanCount - spans.length} more spans are not displayed`)] : []
  return [heading, ...lines, ...rest].join('\n')
}

interface Period {
  readonly from: number
  readonly to: number
}

function periodOf(spans: readonly Span[]): Period {
  const starts = spans.map((span) => startOf(span))
  const from = starts.reduce((first, start) => Math.min(first, start), Number.POSITIVE_INFINITY)
  const to = spans.reduce((last, span) => Math.max(last, endOf(span) ?? startOf(span)), from)
  return { from, to }
}

function startOf({ startTime }: Span): number {
  return Date.parse(startTime)
}

/** From the duration, because it is more exact than the end time in milliseconds. */
function endOf(span: Span): number | undefined {
  return span.durationMs === null ? undefined : startOf(span) + span.durationMs
}

function columns(names: readonly string[], notes: readonly string[], screen: number) {
  const width = Math.min(Number.isFinite(screen) ? screen : DEFAULT_WIDTH, MAX_WIDTH)
  const widest = (texts: readonly string[]) =>
    texts.reduce((widest, text) => Math.max(widest, stringWidth(text)), 0)
  // without the symbol, the duration and spaces
  const free = width - 2 - TIME_WIDTH - 1
  const note = Math.min(widest(notes), Math.max(0, free - MIN_NAME_WIDTH - MIN_BAR_WIDTH - 2))
  const forBoth = free - (note > 0 ? note + 1 : 0)
  const name = Math.max(MIN_NAME_WIDTH, Math.min(widest(names), Math.floor(forBoth * 0.6)))
  const bar = forBoth - name - 1
  if (bar < MIN_BAR_WIDTH)
    return { name: Math.max(MIN_NAME_WIDTH, Math.min(widest(names), forBoth)), bar: 0, note }
  return { name, bar, note }
}

function barOf(span: Span, { from, to }: Period, width: number): string {
  const total = Math.max(to - from, 0.001)
  const at = (instant: number) => Math.round(((instant - from) / total) * width)
  const start = Math.min(at(startOf(span)), width - 1)
  const end = Math.min(Math.max(at(endOf(span) ?? to), start + 1), width)
  const body = (span.endTime === null ? '╍' : '━').repeat(end - start)
  return ' '.repeat(start) + body + ' '.repeat(width - end)
}

/** The symbol and colour of a span's status. */
function statusOf({ status, attributes }: Span): {
  symbol: string
  color: 'green' | 'red' | 'cyan' | 'yellow'
} {
  const state = attributes[ATTRIBUTE.stepStatus] ?? attributes[ATTRIBUTE.executionStatus]
  if (status === 'error') return { symbol: '✗', color: 'red' }
  if (status === 'running') return { symbol: '…', color: 'cyan' }
  if (state === 'suspended') return { symbol: '‖', color: 'yellow' }
  if (state === 'cancelled') return { symbol: '■', color: 'yellow' }
  if (state === 'skipped') return { symbol: '–', color: 'yellow' }
  return { symbol: '✓', color: 'green' }
}

function timeOf({ durationMs, status }: Span): string {
  if (durationMs !== null) return preciseDuration(durationMs)
  // the process ended before the span did
  return status === 'running' ? 'running' : 'incomplete'
}

function preciseDuration(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : duration(ms)
}

function count(spans: number): string {
  return spans === 1 ? '1 span' : `${spans} spans`
}

function noteOf({ attributes, statusMessage }: Span): string {
  const attempt = Number(attributes[ATTRIBUTE.stepAttempt] ?? 1)
  const [input, output] = [attributes[ATTRIBUTE.inputTokens], attributes[ATTRIBUTE.outputTokens]]
  const cost = attributes[ATTRIBUTE.cost]
  return [
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(typeof input === 'number' || typeof output === 'number'
      ? [`${Number(input ?? 0)} → ${Number(output ?? 0)} tokens`]
      : []),
    ...(typeof cost === 'number' ? [formatCost(cost)] : []),
    ...(statusMessage === undefined ? [] : [oneLine(statusMessage)]),
  ].join(', ')
}

/** A span with its tree lines. */
interface SpanTreeRow {
  readonly span: Span
  /** The tree lines before the span's name. */
  readonly lead: string
}

/** The spans in tree order: each is followed by its children. Spans without a known parent are roots. */
function spanTree(spans: readonly Span[]): SpanTreeRow[] {
  const ids = new Set(spans.map(({ spanId }) => spanId))
  const children = new Map<string | null, Span[]>()
  for (const span of spans) {
    const parent = span.parentSpanId !== null && ids.has(span.parentSpanId) ? span.parentSpanId : null
    children.set(parent, [...(children.get(parent) ?? []), span])
  }
  const rows: SpanTreeRow[] = []
  // not recursive: a trace can be deeper than the call stack
  const stack: PendingRow[] = nested(children.get(null) ?? [], undefined)
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { span, lead, below } = next
    rows.push({ span, lead })
    stack.push(...nested(children.get(span.spanId) ?? [], below))
  }
  return rows
}

interface PendingRow extends SpanTreeRow {
  /** The indentation of its children. */
  readonly below: string
}

/** Rows for sibling spans, last first, because they are taken from the end. */
function nested(spans: readonly Span[], indent: string | undefined): PendingRow[] {
  return spans
    .map((span, index) => {
      if (indent === undefined) return { span, lead: '', below: '' }
      const isLast = index === spans.length - 1
      return { span, lead: `${indent}${isLast ? '└─ ' : '├─ '}`, below: `${indent}${isLast ? '   ' : '│  '}` }
    })
    .toReversed()
}
