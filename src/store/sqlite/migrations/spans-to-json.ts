import type { Database } from '../driver.ts'
import { jsonArray } from '../../rows/json-array.ts'

/** Attribute names that the tuples have a number for, in the order of the numbers. */
const NAMES: readonly string[] = [
  'agentserver.step.id',
  'agentserver.step.path',
  'agentserver.step.type',
  'agentserver.step.attempt',
  'agentserver.step.status',
  'agentserver.step.input',
  'agentserver.step.output',
  'gen_ai.operation.name',
  'gen_ai.workflow.name',
  'agentserver.workflow.id',
  'agentserver.execution.id',
  'agentserver.execution.status',
  'agentserver.execution.input',
  'agentserver.execution.output',
  'agentserver.user.id',
  'gen_ai.conversation.id',
  'http.request.method',
  'http.route',
  'url.path',
  'http.response.status_code',
  'error.type',
]
const KINDS = ['internal', 'server', 'client', 'producer', 'consumer']
const STATUSES = ['running', 'ok', 'error']

/** Chunks that are read at a time. */
const BATCH = 500

/** Hexadecimal digits of a span id, and those of them that are the start time in milliseconds since the epoch. */
const ID_DIGITS = 16
const TIME_DIGITS = 12

/**
 * A span up to version 9: name, kind, parent id (0 without), start relative to the time in the id, duration (null for
 * an open span), status, attribute names and values alternately, and the members that most spans lack.
 */
type Tuple = readonly [string, number, string | 0, number, number | null, number, readonly unknown[], object?]

/** Rewrites `span_chunks.spans` from lines with a span id and a tuple each to a JSON array of objects. */
export function spansToJson(database: Database): void {
  const read = database.prepare(
    `SELECT number, spans FROM span_chunks WHERE number > ? ORDER BY number LIMIT ${BATCH}`,
  )
  const write = database.prepare('UPDATE span_chunks SET spans = ? WHERE number = ?')
  for (let last = -1; ;) {
    const chunks = read.all(last) as { number: number; spans: string }[]
    for (const { number, spans } of chunks) {
      const elements = spans.split('\n').map((line) => JSON.stringify(spanIn(line)))
      write.run(jsonArray(elements), number)
      last = number
    }
    if (chunks.length < BATCH) return
  }
}

function spanIn(line: string): object {
  const spanId = line.slice(0, ID_DIGITS)
  const idTime = Number.parseInt(spanId.slice(0, TIME_DIGITS), 16)
  const tuple = tupleIn(line.slice(ID_DIGITS))
  if (tuple === undefined) return { spanId, ...UNREADABLE, startTime: idTime, endTime: idTime }
  const [name, kind, parent, start, duration, status, pairs, details] = tuple
  const startTime = toMicros(idTime + start)
  return {
    spanId,
    parentSpanId: parent === 0 ? undefined : parent,
    name,
    kind: KINDS[kind] ?? 'internal',
    startTime,
    endTime: duration === null ? undefined : toMicros(startTime + duration),
    status: STATUSES[status] ?? 'error',
    attributes: attributesOf(pairs),
    ...details,
  }
}

const UNREADABLE = {
  name: 'unreadable',
  kind: 'internal',
  status: 'error',
  statusMessage: 'The record of this span is damaged',
  attributes: {},
}

function tupleIn(text: string): Tuple | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) && Array.isArray(value[6]) ? (value as unknown as Tuple) : undefined
  } catch {
    // one damaged span must not prevent the database from being opened
    return undefined
  }
}

function attributesOf(pairs: readonly unknown[]): Record<string, unknown> {
  const entries: [string, unknown][] = []
  for (let at = 0; at < pairs.length; at += 2) {
    const name = pairs[at]
    entries.push([typeof name === 'number' ? (NAMES[name] ?? String(name)) : String(name), pairs[at + 1]])
  }
  return Object.fromEntries(entries)
}

function toMicros(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
