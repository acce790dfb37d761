import type { Logger } from 'pino'
import { randomInt } from 'node:crypto'
import type { LogLevel } from '../../contract/endpoints/log.ts'
import { BatchQueue } from '../../lib/async/batch-queue.ts'
import type { Clock } from '../../lib/clock.ts'
import { shortPaths } from '../../lib/files/short-paths.ts'
import { KnownSecrets } from '../../lib/redact/known-secrets.ts'
import { redactValue } from '../../lib/redact/redact-value.ts'
import { createRedactor } from '../../lib/redact/redactor.ts'
import type { Redactor } from '../../lib/redact/redactor.ts'
import type { SpanIds } from '../../lib/telemetry/trace-scope.ts'
import { IDS_PER_MS } from '../../store/log-store.ts'
import type { LogRow, LogStore } from '../../store/log-store.ts'
import { createLogger } from './create-logger.ts'
import type { LogLine } from './create-logger.ts'
import { toApiRecord, rowOfEntry } from './log-entry.ts'
import type { LogEntry } from './log-entry.ts'
import { LogFeed } from './log-feed.ts'

export interface ServerLogsOptions {
  /** The project's absolute directory: paths in log records are relative to it. */
  readonly root: string
  /** Minimum level. */
  readonly level: LogLevel | 'silent'
  readonly clock: Clock
  /** The ids of the active span. */
  readonly spanIds: () => SpanIds | undefined
  /** Prints a record to the terminal. */
  readonly print: (entry: LogEntry) => void
}

/** Maximum number of records in the queue for the database. */
const MAX_WAITING = 10_000
/** Records in a transaction, which takes one or two milliseconds. */
const BATCH = 128
/** Interval of writes: the records of this time are lost when the process is killed. */
const EVERY_MS = 100

/** The log of a process: records of the server and of user code are printed, stored and published to listeners. */
export class ServerLogs {
  readonly logger: Logger
  readonly redactor: Redactor
  readonly secrets: KnownSecrets
  readonly feed = new LogFeed()
  readonly #print: (entry: LogEntry) => void
  readonly #ids = new LogIds()
  readonly #clock: Clock
  readonly #queue: BatchQueue<LogEntry>
  #store: LogStore | undefined
  /** Records that were logged before the database was open. */
  #early: LogEntry[] | undefined = []
  #lostEarly = 0

  constructor({ root, level, clock, spanIds, print }: ServerLogsOptions) {
    this.#print = print
    this.#clock = clock
    this.secrets = new KnownSecrets(process.env, clock)
    this.redactor = createRedactor(this.secrets.values)
    const shorten = shortPaths(root)
    const text = (whole: string) => shorten(this.redactor.text(whole))
    this.logger = createLogger({
      level,
      spanIds,
      copy: (value) => redactValue(value, text),
      write: (line) => this.#take(line),
    })
    this.#queue = new BatchQueue<LogEntry>({
      limit: MAX_WAITING,
      batch: BATCH,
      everyMs: EVERY_MS,
      write: (entries) => this.#store?.insert(entries.map((entry) => rowOfEntry(entry))),
      onLost: (count, cause) => this.#logLoss(count, cause),
    })
  }

  /** Number of records that were not stored. */
  get lost(): number {
    return this.#queue.lost + this.#lostEarly
  }

  /** Number of records in the queue for the database. */
  get waiting(): number {
    return this.#queue.size
  }

  /** Stores all records in a database, including those logged before, and publishes those of other processes. */
  async storeIn(store: LogStore): Promise<void> {
    this.#ids.startAfter(await store.newest())
    this.#store = store
    this.feed.follow(store)
    const early = this.#early ?? []
    this.#early = undefined
    for (const entry of early) this.#queue.add({ ...entry, id: this.#ids.next(entry.timestamp) })
    if (this.#lostEarly > 0) this.#logLoss(this.#lostEarly, undefined)
  }

  /** Resolves when all records so far are stored or lost. */
  flush(): Promise<void> {
    return this.#queue.flush()
  }

  /** Stores queued records. Later records are only printed. */
  async close(): Promise<void> {
    await this.#queue.close()
    this.#store = undefined
    this.#early = undefined
  }

  #take(line: LogLine): void {
    const entry = this.#entry(line)
    this.#print(entry)
    if (this.#early) this.#keepEarly(this.#early, entry)
    else if (this.#store) this.#queue.add(entry)
    if (this.feed.hasListeners) this.feed.publish(toApiRecord(entry))
  }

  #keepEarly(early: LogEntry[], entry: LogEntry): void {
    if (early.length < MAX_WAITING) early.push(entry)
    else this.#lostEarly++
  }

  #entry({ level, time, message, attributes: all }: LogLine): LogEntry {
    const { traceId, spanId, executionId, ...attributes } = all
    return {
      id: this.#ids.next(this.#clock.now()),
      timestamp: time,
      level,
      message,
      attributes,
      traceId: idIn(traceId),
      spanId: idIn(spanId),
      executionId: idIn(executionId),
      workflowId: idIn(attributes['workflowId']),
      agentId: idIn(attributes['agentId']),
    }
  }

  /** Logs a loss in a later turn: the queue is full in this one. */
  #logLoss(count: number, cause: unknown): void {
    setImmediate(() => {
      const why = cause === undefined ? 'the database is too slow' : 'the database failed'
      this.logger.warn({ err: cause, count }, `${count} log record(s) were not stored: ${why}`)
    })
  }
}

function idIn(value: unknown): LogRow['traceId'] {
  return typeof value === 'string' && value !== '' ? value : null
}

/**
 * Increasing ids of log records: the time in milliseconds, then a counter within the millisecond. The counter starts at a
 * random number, so that processes which share a database seldom choose the same ids.
 */
class LogIds {
  readonly #start = randomInt(IDS_PER_MS / 2)
  #last = 0

  next(now: number): number {
    this.#last = Math.max(this.#last + 1, Math.trunc(now) * IDS_PER_MS + this.#start)
    return this.#last
  }

  /** Makes all further ids greater than this one, even when the clock was set back. */
  startAfter(id: number): void {
    this.#last = Math.max(this.#last, id)
  }
}
