import type { LogRecord } from '../../contract/endpoints/log.ts'
import { Listeners } from '../services/listeners.ts'
import { LogLines, MAX_LINES, isLater } from './log-lines.ts'
import type { LogLine } from './log-lines.ts'

export interface LogPage {
  /** Newest first. */
  readonly records: readonly LogRecord[]
  readonly hasOlder: boolean
}

export interface LogTailOptions {
  /** Fetches the records before the id `before`, or the newest ones. */
  readonly fetchPage: (page: {
    readonly limit: number
    readonly before: string | undefined
  }) => Promise<LogPage>
  /** Whether a live record matches the filters. */
  readonly matches: (record: LogRecord) => boolean
  /** Groups repeated messages into one line. */
  readonly grouped: boolean
  /** Runs a function before the next frame; the function returned cancels it. */
  readonly onFrame: (draw: () => void) => () => void
}

/** The state to render. */
export interface LogView {
  /** Undefined before the first response. */
  readonly lines: readonly LogLine[] | undefined
  /** Number of lines by which the kept lines have moved down since the start. */
  readonly shift: number
  /** Number of new records that are held back or below the view. */
  readonly newCount: number
  readonly paused: boolean
  readonly hasOlder: boolean
  readonly error: unknown
}

type Fetching = 'newest' | 'older' | 'missed'

const PAGE = 500
const MAX_PAGE = 1000
const RETRY_MS = 1000
/** Pages fetched to catch up, before the list starts over. */
const MAX_CATCH_UP_PAGES = 10
/** Lines up to which older records are loaded. */
export const MAX_LOADED_LINES = 50_000

/**
 * The end of the log, followed live and rendered once per frame. Nothing is lost while it is paused, or while the user
 * reads further up: records beyond the limit are fetched again on demand.
 */
export class LogTail {
  readonly #options: LogTailOptions
  readonly #watchers = new Listeners()
  #lines: LogLines
  #view: LogView = {
    lines: undefined,
    shift: 0,
    newCount: 0,
    paused: false,
    hasOlder: false,
    error: undefined,
  }
  #incoming: LogRecord[] = []
  /** Incoming records were dropped: the next render starts with a new list. */
  #hasLostRecords = false
  #following = true
  /** The end of the list is in view and must not move. */
  #isStill = false
  /** Number of the incoming records that `newCount` has. */
  #counted = 0
  #cancelFrame: (() => void) | undefined
  #busy: Fetching | undefined
  /** Records after this one may be missing: nothing is rendered until they are fetched. */
  #gap: { readonly after: LogRecord | undefined } | undefined
  #catchUpAgain = false
  /** Older records were asked for during another request. */
  #olderAgain = false
  #retry: ReturnType<typeof setTimeout> | undefined

  constructor(options: LogTailOptions) {
    this.#options = options
    this.#lines = new LogLines(options.grouped)
  }

  readonly view = (): LogView => this.#view

  readonly watch = this.#watchers.add

  /** Fetches the newest records. */
  async start(): Promise<void> {
    await this.#fetching('newest', async () => {
      const { records, hasOlder } = await this.#options.fetchPage({ limit: PAGE, before: undefined })
      this.#lines.append(records.toReversed())
      // the live records follow those that were stored while this page was on its way
      if (this.#catchUpAgain) this.#gap = { after: this.#lines.newest }
      this.#show({ lines: this.#lines.list, hasOlder })
    })
    this.#draw()
  }

  /** Adds a live record. */
  add(record: LogRecord): void {
    if (!this.#options.matches(record)) return
    this.#incoming.push(record)
    if (this.#incoming.length > MAX_LINES * 2) {
      this.#incoming = this.#incoming.slice(MAX_LINES)
      this.#hasLostRecords = true
    }
    if (this.#isHeld) this.#count(1, { later: true })
    else this.#schedule()
  }

  pause(paused: boolean): void {
    if (!paused) this.#counted = 0
    this.#show({ paused, ...(!paused && { newCount: 0 }) })
    this.#draw()
  }

  /** Holds new records back while the end of the list is in view. */
  hold(still: boolean): void {
    this.#isStill = still
    this.#draw()
  }

  /** Shows the records that are held back. */
  release(): void {
    this.#draw({ force: true })
  }

  /** Sets whether the newest line is in view. */
  follow(following: boolean): void {
    if (this.#following === following) return
    this.#following = following
    if (following && !this.#view.paused) {
      this.#counted = 0
      this.#show({ newCount: 0 })
    }
    this.#draw({ force: following && !this.#view.paused })
  }

  /** Fetches records before the oldest loaded one. */
  async loadOlder(): Promise<void> {
    const { hasOlder, lines = [] } = this.#view
    if (!hasOlder || lines.length >= MAX_LOADED_LINES) return
    this.#olderAgain = this.#busy !== undefined && this.#busy !== 'older'
    await this.#fetching('older', async () => {
      const before = this.#lines.oldest?.id
      const page = await this.#options.fetchPage({ limit: PAGE, before })
      // the list was trimmed meanwhile
      if (this.#lines.oldest?.id !== before) return
      const added = this.#lines.prepend(page.records.toReversed())
      this.#show({
        lines: this.#lines.list,
        shift: this.#view.shift + added,
        hasOlder: page.hasOlder,
      })
    })
  }

  /** Fetches the records after the newest known one. */
  async catchUp(): Promise<void> {
    // the page on its way may have been read before the records to catch up with
    if (this.#busy) this.#catchUpAgain = true
    if (this.#view.lines === undefined) return this.start()
    this.#gap ??= { after: this.#incoming.at(-1) ?? this.#lines.newest }
    const { after: newest } = this.#gap
    if (this.#busy) return
    await this.#fetching('missed', async () => {
      const found: LogRecord[] = []
      for (let page = 0; ; page++) {
        const before = found.at(-1)?.id
        const limit = page === 0 ? PAGE : MAX_PAGE
        const { records, hasOlder } = await this.#options.fetchPage({ limit, before })
        const newer = newest ? records.filter((record) => isLater(record, newest)) : records
        found.push(...newer)
        if (!hasOlder || newer.length < records.length) break
        if (page < MAX_CATCH_UP_PAGES) continue
        this.#hasLostRecords = true
        this.#incoming = []
        break
      }
      const known = new Set(this.#incoming.map(({ id }) => id))
      const added = found.filter(({ id }) => !known.has(id))
      this.#incoming = [...this.#incoming, ...added].toSorted((a, b) => (isLater(a, b) ? 1 : -1))
      if (this.#isHeld) this.#count(added.length)
      this.#gap = undefined
    })
    if (this.#gap) this.#catchUpLater()
    this.#draw()
  }

  /** Stops rendering. */
  stop(): void {
    this.#cancelFrame?.()
    this.#cancelFrame = undefined
    clearTimeout(this.#retry)
    this.#watchers.clear()
  }

  get #isHeld(): boolean {
    if (this.#view.paused) return true
    return this.#following ? this.#isStill : this.#lines.list.length >= MAX_LINES
  }

  #count(records: number, when?: { readonly later: boolean }): void {
    this.#counted += records
    this.#show({ newCount: this.#view.newCount + records }, when)
  }

  async #fetching(kind: Fetching, fetch: () => Promise<void>): Promise<void> {
    if (this.#busy) return
    this.#busy = kind
    let hasFailed = false
    try {
      await fetch()
      if (this.#view.error !== undefined) this.#show({ error: undefined })
    } catch (error) {
      hasFailed = true
      this.#show({ error })
    } finally {
      this.#busy = undefined
    }
    if (this.#catchUpAgain && hasFailed) this.#catchUpLater()
    else if (this.#catchUpAgain) {
      this.#catchUpAgain = false
      void this.catchUp()
    }
    if (this.#olderAgain) void this.loadOlder()
  }

  #catchUpLater(): void {
    this.#catchUpAgain = false
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.catchUp(), RETRY_MS)
  }

  #schedule(): void {
    this.#cancelFrame ??= this.#options.onFrame(() => {
      this.#cancelFrame = undefined
      if (this.#isHeld) this.#watchers.notify()
      else this.#draw()
    })
  }

  #draw({ force = false } = {}): void {
    if (this.#view.lines === undefined || (this.#isHeld && !force)) return
    if (this.#gap || this.#incoming.length === 0) return
    if (this.#hasLostRecords) this.#lines = new LogLines(this.#options.grouped)
    const hasLost = this.#hasLostRecords
    this.#hasLostRecords = false
    const records = this.#incoming
    this.#incoming = []
    const trimmed = this.#lines.append(records)
    const { shift, hasOlder } = this.#view
    const newCount = this.#view.newCount + records.length - this.#counted
    this.#counted = 0
    this.#show({
      lines: this.#lines.list,
      shift: shift - trimmed,
      newCount: this.#following ? 0 : newCount,
      hasOlder: hasOlder || hasLost || trimmed > 0,
    })
  }

  #show(changes: Partial<LogView>, { later = false } = {}): void {
    this.#view = { ...this.#view, ...changes }
    if (later) this.#schedule()
    else this.#watchers.notify()
  }
}
