import type { Logger } from 'pino'
import type { LogLevel } from '../../contract/endpoints/log.ts'
import { BatchQueue } from '../../lib/async/batch-queue.ts'
import type { Clock } from '../../lib/clock.ts'
import { KnownSecrets } from '../../lib/redact/known-secrets.ts'
import { redactValue } from '../../lib/redact/redact-value.ts'
import { createRedactor } from '../../lib/redact/redactor.ts'
import type { Redactor } from '../../lib/redact/redactor.ts'
import type { SpanIds } from '../../lib/telemetry/trace-scope.ts'
import type { LogRow, LogStore } from '../../store/log-store.ts'
import { createLogger } from './create-logger.ts'
import type { Logged } from './create-logger.ts'
import { shownEntry, storedEntry } from './log-entry.ts'
import type { LogEntry } from './log-entry.ts'
import { LogFeed } from './log-feed.ts'
import { LogIds } from './log-ids.ts'
import { shortPaths } from '../../lib/files/short-paths.ts'

export interface ServerLogsOptions {
  /** The project's directory, absolute: paths in what is logged are relative to it. */
  readonly root: string
  /** What is logged at all. */
  readonly level: LogLevel | 'silent'
  readonly clock: Clock
  /** The span that the running code belongs to. */
  readonly spanIds: () => SpanIds | undefined
  /** Shows a record to whoever runs the process. */
  readonly print: (entry: LogEntry) => void
}

/** Records that wait for the database at most. */
const MAX_WAITING = 10_000
/** Records in a transaction: a slice of a millisecond or two. */
const BATCH = 128
const EVERY_MS = 100

/** The log of a process: what the system and the user's code say, printed, stored and told to listeners. */
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
  /** What was logged before there was a database. */
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
      write: (logged) => this.#take(logged),
    })
    this.#queue = new BatchQueue<LogEntry>({
      limit: MAX_WAITING,
      batch: BATCH,
      everyMs: EVERY_MS,
      write: (entries) => this.#store?.insert(entries.map((entry) => storedEntry(entry))),
      onLost: (count, cause) => this.#tellLoss(count, cause),
    })
  }

  /** Records that never got into the database. */
  get lost(): number {
    return this.#queue.lost + this.#lostEarly
  }

  /** Records that wait for the database. */
  get waiting(): number {
    return this.#queue.size
  }

  /** Stores what is logged from now on, and what was logged before. */
  async storeIn(store: LogStore): Promise<void> {
    this.#ids.goOnFrom(await store.newest())
    this.#store = store
    const early = this.#early ?? []
    this.#early = undefined
    for (const entry of early) this.#queue.add({ ...entry, id: this.#ids.next(entry.timestamp) })
    if (this.#lostEarly > 0) this.#tellLoss(this.#lostEarly, undefined)
  }

  /** Fulfils when all that was logged is stored, or lost. */
  flush(): Promise<void> {
    return this.#queue.flush()
  }

  /** Stores what waits; what is logged from now on is only printed. */
  async close(): Promise<void> {
    await this.#queue.close()
    this.#store = undefined
    this.#early = undefined
  }

  #take(logged: Logged): void {
    const entry = this.#entry(logged)
    this.#print(entry)
    if (this.#early) this.#keepEarly(this.#early, entry)
    else if (this.#store) this.#queue.add(entry)
    if (this.feed.isHeard) this.feed.publish(shownEntry(entry))
  }

  #keepEarly(early: LogEntry[], entry: LogEntry): void {
    if (early.length < MAX_WAITING) early.push(entry)
    else this.#lostEarly++
  }

  #entry({ level, time, message, attributes: all }: Logged): LogEntry {
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

  /** Later: a record made while one is being added could be lost in turn. */
  #tellLoss(count: number, cause: unknown): void {
    setImmediate(() => {
      const why = cause === undefined ? 'the database did not keep up' : 'the database refused them'
      this.logger.warn({ err: cause, count }, `${count} log record(s) were not stored: ${why}`)
    })
  }
}

function idIn(value: unknown): LogRow['traceId'] {
  return typeof value === 'string' && value !== '' ? value : null
}
