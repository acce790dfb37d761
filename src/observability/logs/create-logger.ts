import { pino } from 'pino'
import type { Bindings, ChildLoggerOptions, Logger } from 'pino'
import type { LogLevel } from '../../contract/endpoints/log.ts'
import type { SpanIds } from '../../lib/telemetry/trace-scope.ts'

/** What a logger writes, apart from who logged it. */
export interface Logged {
  /** As pino counts: 10 trace … 60 fatal. */
  readonly level: number
  /** Milliseconds since the epoch. */
  readonly time: number
  readonly message: string
  /** What children of the logger are bound to, and what was logged with the message. */
  readonly attributes: Readonly<Record<string, unknown>>
}

export interface LoggerOptions {
  readonly level: LogLevel | 'silent'
  /** Makes a safe copy of what was logged: JSON, bounded, without secrets. */
  readonly copy: (value: unknown) => unknown
  /** The span that the running code belongs to. */
  readonly spanIds: () => SpanIds | undefined
  readonly write: (logged: Logged) => void
}

/** What pino writes: bindings of children stand beside `level` and `time`, the rest in a place of its own. */
interface Line {
  readonly level: number
  readonly time: number
  readonly logged?: Record<string, unknown>
  readonly msg?: unknown
}

/** Members of a line that are not the user's. */
const RESERVED: ReadonlySet<string> = new Set(['level', 'time', 'logged', 'msg'])

/** A pino logger, whose children and records are free of secrets and of values that can't be written. */
export function createLogger({ level, copy, spanIds, write }: LoggerOptions): Logger {
  const safe = (value: object) => copy(value) as Record<string, unknown>
  const logger = pino(
    {
      level,
      base: null,
      nestedKey: 'logged',
      // the copy has shown errors already
      serializers: { err: (error: unknown) => error },
      mixin: () => spanBindings(spanIds()),
      mixinMergeStrategy: (logged, mixed) => ({ ...mixed, ...safe(logged) }),
    },
    { write: (line: string) => write(read(line, copy)) },
  )
  const own = { child: Reflect.get(logger, 'child'), setBindings: Reflect.get(logger, 'setBindings') }
  // children inherit these; pino's own formatter of bindings does not reach them
  return Object.assign(logger, {
    child(this: Logger, bindings: Bindings, options: ChildLoggerOptions = {}) {
      const given = [bound(safe(bindings)), { ...options, ...safeSerializers(options, safe) }]
      return Reflect.apply(own.child, this, given as Parameters<typeof own.child>)
    },
    setBindings(this: Logger, bindings: Bindings) {
      Reflect.apply(own.setBindings, this, [bound(safe(bindings))])
    },
  })
}

/** What serializers of a child make is looked through as well. */
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

function bound(bindings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(bindings)
  return Object.fromEntries(entries.map(([key, value]) => [RESERVED.has(key) ? `${key}_` : key, value]))
}

function read(line: string, copy: LoggerOptions['copy']): Logged {
  const { level, time, logged = {}, msg, ...bindings } = JSON.parse(line) as Line
  const { msg: own, ...rest } = logged
  const message = copy(msg ?? own)
  return {
    level,
    time,
    message: typeof message === 'string' ? message : (JSON.stringify(message) ?? ''),
    attributes: { ...bindings, ...rest },
  }
}
