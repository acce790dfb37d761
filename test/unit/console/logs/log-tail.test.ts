import { describe, expect, it } from 'vitest'
import { LogTail } from '../../../../src/console/logs/log-tail.ts'
import type { LogPage } from '../../../../src/console/logs/log-tail.ts'
import type { LogRecord } from '../../../../src/contract/endpoints/log.ts'

const PAGE = 500

const record = (id: number): LogRecord => ({
  id: String(id),
  timestamp: '2026-11-22T10:00:00.000Z',
  level: 'info',
  message: `message ${id}`,
  attributes: {},
  traceId: null,
  spanId: null,
  executionId: null,
})

/** A log of which each page is read at once, and answered when the test says so. */
class SlowLog {
  readonly stored: LogRecord[]
  readonly #answers: (() => void)[] = []
  readonly tail = new LogTail({
    grouped: false,
    matches: () => true,
    onFrame: (draw) => {
      queueMicrotask(draw)
      return () => undefined
    },
    fetchPage: ({ limit, before }) => {
      const found = this.stored.filter(({ id }) => !before || Number(id) < Number(before)).toReversed()
      const page: LogPage = { records: found.slice(0, limit), hasOlder: found.length > limit }
      return new Promise((resolve) => this.#answers.push(() => resolve(page)))
    },
  })

  constructor(count: number) {
    this.stored = Array.from({ length: count }, (_, n) => record(n + 1))
  }

  store(live: boolean): void {
    const next = record(this.stored.length + 1)
    this.stored.push(next)
    if (live) this.tail.add(next)
  }

  /** Answers every request, also those that follow. */
  async answerAll(): Promise<void> {
    for (let idle = 0; idle < 5; idle++) {
      if (this.#answers.length > 0) idle = 0
      for (const answer of this.#answers.splice(0)) answer()
      await Promise.resolve()
    }
  }

  get ids(): number[] {
    return (this.tail.view().lines ?? []).map((line) => Number(line.record.id))
  }
}

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1)

describe('the end of the log', () => {
  it('has the records stored while its first page was on its way, before the live ones', async () => {
    const log = new SlowLog(0)
    void log.tail.start()
    log.store(false)
    log.store(false)
    // subscribed only now
    void log.tail.catchUp()
    log.store(true)
    await log.answerAll()
    log.store(true)
    await log.answerAll()
    expect(log.ids).toEqual([1, 2, 3, 4])
  })

  it('fetches older records that were asked for while it caught up', async () => {
    const log = new SlowLog(2 * PAGE)
    void log.tail.start()
    await log.answerAll()
    expect(log.ids).toHaveLength(PAGE)
    log.store(false)
    void log.tail.catchUp()
    void log.tail.loadOlder()
    await log.answerAll()
    expect(log.ids).toEqual(upTo(2 * PAGE + 1))
  })

  it('fetches an older page once, however often it is asked for', async () => {
    const log = new SlowLog(3 * PAGE)
    void log.tail.start()
    await log.answerAll()
    void log.tail.loadOlder()
    void log.tail.loadOlder()
    await log.answerAll()
    expect(log.ids).toHaveLength(2 * PAGE)
  })
})
