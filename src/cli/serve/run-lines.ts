import type { ExecutionFeed, ExecutionUpdate } from '../../engine/executions/execution-feed.ts'
import { duration } from '../print/duration.ts'
import { oneLine } from '../print/terminal.ts'
import type { Terminal } from '../print/terminal.ts'

/** Retries are read from the events of an execution; beyond this many running ones only their ends are printed. */
const MAX_FOLLOWED = 20

interface Retry {
  /** The id of the step. */
  readonly from: string
  readonly attempt: number
  readonly willRetry: boolean
  readonly error: { readonly message: string }
}

/** The retries of a running execution, printed as they happen; `read` prints those that are left. */
interface FollowedRetries {
  readonly read: () => Promise<void>
  readonly stop: () => void
}

/** Prints a line when an execution ends, waits or repeats a step, until the returned function is called. */
export function printRuns(feed: ExecutionFeed, terminal: Pick<Terminal, 'note' | 'notePaint'>): () => void {
  const lines = new RunLines(feed, terminal)
  return lines.start()
}

class RunLines {
  readonly #feed: ExecutionFeed
  readonly #terminal: Pick<Terminal, 'note' | 'notePaint'>
  readonly #followed = new Map<string, FollowedRetries>()
  /** `undefined` until the database has been read: it may be away at the start. */
  #after: number | undefined
  #isReading = false
  #isBehind = false

  constructor(feed: ExecutionFeed, terminal: Pick<Terminal, 'note' | 'notePaint'>) {
    this.#feed = feed
    this.#terminal = terminal
  }

  start(): () => void {
    const stop = this.#feed.onUpdates(() => this.#wake())
    this.#wake()
    return () => {
      stop()
      for (const followed of this.#followed.values()) followed.stop()
    }
  }

  /** One page is read at a time; what comes meanwhile is read after it. */
  #wake(): void {
    this.#isBehind = true
    if (!this.#isReading) void this.#read()
  }

  async #read(): Promise<void> {
    this.#isReading = true
    while (this.#isBehind) {
      this.#isBehind = false
      // a database that can't be read is reported by the requests that fail; the next change reads again
      this.#after ??= await this.#feed.newestUpdate().catch(() => undefined)
      if (this.#after === undefined) break
      const updates = await this.#feed.updates(this.#after).catch(() => [])
      for (const update of updates) await this.#show(update)
      this.#after = updates.at(-1)?.number ?? this.#after
      if (updates.length > 0) this.#isBehind = true
    }
    this.#isReading = false
  }

  async #show({ kind, record }: ExecutionUpdate): Promise<void> {
    const { id, status } = record
    const followed = this.#followed.get(id)
    if (status === 'running') {
      if (followed || this.#followed.size >= MAX_FOLLOWED) return
      // what was there before a resume has been printed
      const after = kind === 'created' ? 0 : await this.#feed.lastEvent(id).catch(() => 0)
      this.#followed.set(id, this.#follow(id, after))
      return
    }
    await followed?.read()
    followed?.stop()
    this.#followed.delete(id)
    this.#print(runLine(record))
  }

  #follow(id: string, newest: number): FollowedRetries {
    let after = newest
    let reading = Promise.resolve()
    const readPage = async () => {
      const events = await this.#feed.events(id, after).catch(() => [])
      after = events.at(-1)?.seq ?? after
      for (const { type, data } of events)
        if (type === 'step-error') this.#printRetry(JSON.parse(data) as Retry)
    }
    const read = () => (reading = reading.then(readPage))
    return { read, stop: this.#feed.onEvents(id, () => void read()) }
  }

  #printRetry({ from, attempt, willRetry, error }: Retry): void {
    if (willRetry) this.#print(`↻ ${from} attempt ${attempt + 1}: ${error.message}`)
  }

  #print(line: string): void {
    this.#terminal.note(this.#terminal.notePaint.dim(oneLine(line)))
  }
}

/** How an execution ended, or what it waits for: `✓ order 38 ms`, `⏸ expense waits at approve: over limit`. */
export function runLine({
  workflowId,
  status,
  createdAt,
  endedAt,
  suspension,
  error,
}: ExecutionUpdate['record']): string {
  const took = endedAt === undefined ? '' : ` ${duration(Date.parse(endedAt) - Date.parse(createdAt))}`
  switch (status) {
    case 'completed':
      return `✓ ${workflowId}${took}`
    case 'error':
      return `✗ ${workflowId}${took}: ${error?.message ?? 'failed'}`
    case 'cancelled':
      return `✗ ${workflowId} was cancelled`
    case 'suspended': {
      const { stepId, event, wakeAt, reason = '' } = suspension ?? {}
      if (event !== undefined) return `⏸ ${workflowId} waits for event ${event}`
      if (wakeAt !== undefined) return `⏸ ${workflowId} waits until ${wakeAt}`
      return `⏸ ${workflowId} waits at ${stepId}: ${reason}`
    }
    case 'running':
      return `… ${workflowId} is running`
  }
}
