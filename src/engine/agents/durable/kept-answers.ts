import { AppError } from '../../../lib/errors.ts'
import { isLivePart } from '../../../contract/agent-event.ts'
import type { StreamPart } from '../../../contract/agent-event.ts'
import { EventHub } from '../../../lib/async/event-hub.ts'
import { LiveQueue } from '../../../lib/async/live-queue.ts'
import type { LiveItem } from '../../../lib/async/live-queue.ts'
import { WakeUp } from '../../../lib/async/wake-up.ts'
import type { AgentRunRow } from '../../../store/agent-store.ts'
import type { Store } from '../../../store/store.ts'
import { whenAvailable } from '../../database-outage.ts'
import type { RunningAnswer } from '../running-answer.ts'
import { GroupWrites, PartLog } from './part-log.ts'

/** Parts are stored together with those that come within this time. */
const WRITE_MS = 20
/** Rows that are read from the store at a time. */
const PAGE = 50

interface KeptAnswersDeps {
  readonly store: Store
  /** Receives the id of a run whose parts have changed. */
  readonly hub: EventHub
}

/** Answers that are generated whether or not somebody reads them, and that any number of clients can read from the start. */
export class KeptAnswers {
  readonly #deps: KeptAnswersDeps
  readonly #logs = new Map<string, PartLog>()
  readonly #writes: GroupWrites<PartLog>
  /** The parts that are not stored, by run. */
  readonly #live = new EventHub<LiveItem>()

  constructor(deps: KeptAnswersDeps) {
    this.#deps = deps
    const { agentRuns } = deps.store
    this.#writes = new GroupWrites((logs) => agentRuns.appendParts(logs.map((log) => log.drain())), WRITE_MS)
  }

  /** Whether anybody reads an answer in this process. */
  isRead(runId: string): boolean {
    return this.#live.has(runId)
  }

  /** Generates an answer to its end. */
  keep(answer: RunningAnswer, parts: AsyncGenerator): void {
    const { hub } = this.#deps
    const log = new PartLog({
      runId: answer.id,
      writes: this.#writes,
      onChange: () => hub.publish(answer.id),
      onFailed: (cause) =>
        answer.stop(new AppError('unavailable', 'The answer could not be stored', { cause })),
    })
    this.#logs.set(answer.id, log)
    answer.beforeEnd = () => log.flush()
    void this.#generate(answer, parts, log).finally(() => this.#logs.delete(answer.id))
  }

  async #generate(answer: RunningAnswer, parts: AsyncGenerator, log: PartLog): Promise<void> {
    let last: string | undefined
    for await (const part of parts) {
      if (last !== undefined) log.push(last)
      last = undefined
      const text = JSON.stringify(part)
      if (isLivePart(part as StreamPart)) this.#live.publish(answer.id, { after: log.last, data: text })
      else if (answer.hasEnded) last = text
      else log.push(text)
    }
    log.close(answer.hasLeft ? undefined : last)
  }

  /**
   * Reads an answer from its start, on whatever machine it is generated.
   *
   * @param lastOf makes the last part of the row of a run that has ended
   * @throws AppError `unavailable` when another machine continues the answer, which then begins again.
   */
  async *read(
    { id, ownerEpoch }: Pick<AgentRunRow, 'id' | 'ownerEpoch'>,
    lastOf: (row: AgentRunRow) => unknown,
    signal: AbortSignal,
  ): AsyncGenerator {
    const { store, hub } = this.#deps
    const log = this.#logs.get(id)
    const wakeUp = new WakeUp()
    const unsubscribe = hub.subscribe(id, wakeUp.notify)
    const live = new LiveQueue(this.#live, id, wakeUp.notify)
    signal.addEventListener('abort', wakeUp.notify)
    try {
      let after = 0
      let ended: AgentRunRow | undefined
      while (!signal.aborted) {
        const lines = log?.after(after) ?? (await this.#stored(id, after, signal))
        for (const line of lines) {
          yield* parsed(live.take(after++))
          yield JSON.parse(line) as unknown
        }
        yield* parsed(live.take(after))
        if (lines.length > 0) continue
        if (log?.end === 'complete') return
        if (log?.end === 'incomplete') throw movedError()
        if (ended) return yield lastOf(ended)
        if (!log) {
          const read = () => store.agentRuns.list({ id }, { limit: 1, offset: 0 })
          const [row] = await whenAvailable(store, read, signal)
          if (!row || row.ownerEpoch !== ownerEpoch) throw movedError()
          // parts that were stored before the end are read first
          if (row.status !== 'running') {
            ended = row
            continue
          }
        }
        await wakeUp.wait()
      }
    } finally {
      unsubscribe()
      live.close()
      signal.removeEventListener('abort', wakeUp.notify)
    }
  }

  /** Stored parts after a number. */
  async #stored(id: string, after: number, signal: AbortSignal): Promise<string[]> {
    const { store } = this.#deps
    const read = () => store.agentRuns.parts(id, { after, limit: PAGE })
    const rows = await whenAvailable(store, read, signal)
    return rows.flatMap(({ seq, data }) => {
      const lines = data.split('\n')
      const known = after - (seq - lines.length)
      return known > 0 ? lines.slice(known) : lines
    })
  }
}

function* parsed(texts: readonly string[]): Generator {
  for (const text of texts) yield JSON.parse(text) as unknown
}

function movedError(): AppError {
  return new AppError('unavailable', 'The answer is continued by another process; read it again')
}
