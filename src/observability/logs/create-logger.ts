import { pino } from 'pino'
import type { Bindings, ChildLoggerOptions, Logger } from 'pino'
import type { LogLevel } from '../../contract/endpoints/log.ts'
import type { SpanIds } from '../../lib/telemetry/trace-scope.ts'

/** A log line of pino, parsed. */
export interface LogLine {
  /** pino's number: 10 trace … 60 fatal. */
  readonly level: number
  /** Milliseconds since the epoch. */
  readonly time: number
  readonly message: string
  /** The bindings of the logger and the object that was logged with the message. */
  readonly attributes: Readonly<Record<string, unknown>>
}

export interface LoggerOptions {
  readonly level: LogLevel | 'silent'
  /** Returns a safe copy of a logged value: JSON, of limited size, without secrets. */
  readonly copy: (value: unknown) => unknown
  /** The ids of the active span. */
  readonly spanIds: () => SpanIds | undefined
  readonly write: (line: LogLine) => void
}

/** A line as pino writes it: bindings are members beside `level` and `time`, the logged object is under `logged`. */
interface PinoLine {
  readonly level: number
  readonly time: number
  readonly logged?: Record<string, unknown>
  readonly msg?: unknown
}

/** Members of a line that are not bindings. */
const RESERVED: ReadonlySet<string> = new Set(['level', 'time', 'logged', 'msg'])

/** A pino logger whose lines, and those of its children, contain no secrets and only JSON values. */
export function createLogger({ level, copy, spanIds, write }: LoggerOptions): Logger {
  const safe = (value: object) => copy(value) as Record<string, unknown>
  const logger = pino(
    {
      level,
      base: null,
      nestedKey: 'logged',
      // the copy already has errors as objects
      serializers: { err: (error: unknown) => error },
      mixin: () => spanBindings(spanIds()),
      mixinMergeStrategy: (logged, mixed) => ({ ...mixed, ...safe(logged) }),
    },
    { write: (line: string) => write(parseLine(line, copy)) },
  )
  const own = { child: Reflect.get(logger, 'child'), setBindings: Reflect.get(logger, 'setBindings') }
  // children inherit these methods; pino's formatter for bindings does not apply to children
  return Object.assign(logger, {
    child(this: Logger, bindings: Bindings, options: ChildLoggerOptions = {}) {
      const given = [toBindings(safe(bindings)), { ...options, ...safeSerializers(options, safe) }]
      return Reflect.apply(own.child, this, given as Parameters<typeof own.child>)
    },
    setBindings(this: Logger, bindings: Bindings) {
      Reflect.apply(own.setBindings, this, [toBindings(safe(bindings))])
    },
  })
}

/** Serializers of a child logger whose results are copied safely, too. */
function safeSerializers(
  { serializers }: ChildLoggerOptions,
  safe: (value: object) => Readonly<Record<string, unknown>>,
): Pick<ChildLoggerOptions, 'serializers'> {
  if (!serializers) return {}
  const entries = Object.entries(serializers).map(([name, serialize]) => [
    name,
    (value: unknown) => safe({ [name]: serialize(value) })[name],
  ])
  return { serializers: Object.fromEntries(entries) as NonNullable<ChildLoggerOptions['serializers']> }
}

function spanBindings(span: SpanIds | undefined): object {
  return span === undefined ? {} : { traceId: span.traceId, spanId: span.spanId }
}

/** Bindings whose names do not collide with the members of a line. */
function toBindings(bindings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(bindings)
  return Object.fromEntries(entries.map(([key, value]) => [RESERVED.has(key) ? `${key}_` : key, value]))
}

function parseLine(line: string, copy: LoggerOptions['copy']): LogLine {
  const { level, time, logged = {}, msg, ...bindings } = JSON.parse(line) as PinoLine
  const { msg: own, ...rest } = logged
  const message = copy(msg ?? own)
  return {
    level,
    time,
    message: typeof message === 'string' ? message : (JSON.stringify(message) ?? ''),
    attributes: { ...bindings, ...rest },
  }
}
