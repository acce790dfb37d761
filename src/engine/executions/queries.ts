import type { ExecutionDetail, ExecutionRecord, ExecutionState } from '../../contract/endpoints/execution.ts'
import { isFinal } from '../../contract/is-final.ts'
import type { EventHub } from '../../lib/async/event-hub.ts'
import type { EventRow, ExecutionFilter, ExecutionRow } from '../../store/execution-store.ts'
import type { Page } from '../../store/page.ts'
import type { Store } from '../../store/store.ts'
import { executionDetail, executionRecord, executionState } from '../record/to-api.ts'

/** Events read from the store at a time. */
const EVENT_PAGE = 200
const EVENT_PAGE_CHARS = 256 * 1024
/** The most events a record shows; the stream has them all. */
const RECORD_EVENTS = 10_000

export interface FollowOptions {
  /** Sequence number of the last event the reader has. */
  readonly after: number
  /** Ends the stream from outside. */
  readonly signal: AbortSignal
  /** `rest`: ends with the first result, also a suspended one. `final`: follows across suspensions. */
  readonly until: 'rest' | 'final'
}

/** Reads executions. */
export class Queries {
  readonly #store: Store
  readonly #hub: EventHub

  constructor(store: Store, hub: EventHub) {
    this.#store = store
    this.#hub = hub
  }

  async list(filter: ExecutionFilter, page: Page): Promise<ExecutionRecord[]> {
    const rows = await this.#store.executions.list(filter, page)
    return rows.map((row) => executionRecord(row, row.events))
  }

  count(filter: ExecutionFilter): Promise<number> {
    return this.#store.executions.count(filter)
  }

  state(row: ExecutionRow): ExecutionState {
    return executionState(row)
  }

  async detail(row: ExecutionRow): Promise<ExecutionDetail> {
    const { executions } = this.#store
    const [steps, events] = await Promise.all([
      executions.steps(row.id),
      executions.events(row.id, { after: 0, limit: RECORD_EVENTS }),
    ])
    return executionDetail(row, { steps, events })
  }

  /**
   * The events of an execution in order, each once: those recorded, then those to come. Reads ahead no
   * further than a page, so a slow reader costs no memory.
   */
  async *follow(row: ExecutionRow, { after, signal, until }: FollowOptions): AsyncGenerator<EventRow> {
    const bell = new Bell()
    const unsubscribe = this.#hub.subscribe(row.id, () => bell.ring())
    const silence = () => bell.ring()
    signal.addEventListener('abort', silence)
    try {
      let last = after
      while (!signal.aborted) {
        const range = { after: last, limit: EVENT_PAGE, chars: EVENT_PAGE_CHARS }
        const events = await this.#store.executions.events(row.id, range)
        for (const event of events) {
          last = event.seq
          yield event
          if (endsStream(event, until)) return
        }
        if (events.length > 0) continue
        if (isFinal(row.status)) return
        await bell.rung()
      }
    } finally {
      unsubscribe()
      signal.removeEventListener('abort', silence)
    }
  }
}

const RESULT = '{"type":"workflow-result"'

function endsStream({ data }: EventRow, until: FollowOptions['until']): boolean {
  if (!data.startsWith(RESULT)) return false
  return until === 'rest' || (JSON.parse(data) as { status: string }).status !== 'suspended'
}

/** Remembers that it rang until somebody has waited for it. */
class Bell {
  #rang = false
  #wake: (() => void) | undefined

  ring(): void {
    this.#rang = true
    this.#wake?.()
  }

  async rung(): Promise<void> {
    if (!this.#rang) await new Promise<void>((resolve) => (this.#wake = resolve))
    this.#rang = false
    this.#wake = undefined
  }
}
