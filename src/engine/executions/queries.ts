import type { ExecutionDetail, ExecutionRecord, ExecutionState } from '../../contract/endpoints/execution.ts'
import type { ReceivedEvent, WorkflowQueue } from '../../contract/endpoints/waiting.ts'
import { isFinal } from '../../contract/is-final.ts'
import type { EventHub } from '../../lib/async/event-hub.ts'
import { whenAvailable } from '../database-outage.ts'
import { LiveQueue } from '../../lib/async/live-queue.ts'
import type { LiveItem } from '../../lib/async/live-queue.ts'
import { WakeUp } from '../../lib/async/wake-up.ts'
import { isWorkflowLevel } from '../../store/execution-store.ts'
import type { EventRow, ExecutionFilter, ExecutionRow } from '../../store/execution-store.ts'
import type { Page } from '../../store/page.ts'
import type { Store } from '../../store/store.ts'
import type { Trials } from '../run/trials.ts'
import type { Registry } from '../registry.ts'
import { listEvents } from '../events/list-events.ts'
import { listQueues } from '../queue/list-queues.ts'
import { waitingAmong } from '../queue/too-many-waiting.ts'
import { recordPartsOf } from '../record-parts.ts'
import { executionDetail, executionRecord, executionState } from '../record/to-api.ts'

/** The number of events, and of characters, read from the store at a time. */
const EVENT_PAGE = 200
const EVENT_PAGE_CHARS = 256 * 1024
/** The maximum number of events in a record; the stream has all. */
const MAX_RECORD_EVENTS = 10_000

export interface FollowOptions {
  /** Sequence number of the last event the reader has. */
  readonly after: number
  /** Ends the stream from outside. */
  readonly signal: AbortSignal
  /** `result`: ends with the first result, also a suspended one. `final`: follows across suspensions. */
  readonly until: 'result' | 'final'
  /** With what happens in the answers of agents meanwhile, which is not stored. Default: without. */
  readonly live?: boolean
}

/** An event of an execution. Those that are not stored have no number. */
export interface FollowedEvent {
  readonly seq?: number
  readonly data: string
}

interface QueriesDeps {
  readonly hub: EventHub
  /** What is not stored of executions. */
  readonly live: EventHub<LiveItem>
  readonly registry: () => Registry
  readonly trials?: Pick<Trials, 'waitingSince'>
}

/** Reads executions. */
export class Queries {
  readonly #store: Store
  readonly #hub: EventHub
  readonly #live: EventHub<LiveItem>
  readonly #registry: () => Registry
  readonly #trials: Pick<Trials, 'waitingSince'> | undefined

  constructor(store: Store, { hub, live, registry, trials }: QueriesDeps) {
    this.#store = store
    this.#hub = hub
    this.#live = live
    this.#registry = registry
    this.#trials = trials
  }

  async list(filter: ExecutionFilter, page: Page): Promise<ExecutionRecord[]> {
    const rows = await this.#store.executions.list(filter, page)
    const partsOf = await recordPartsOf(this.#store, rows, this.#suspectedSince)
    return rows.map(({ events, omitted, ...row }) => ({
      ...executionRecord(row, events, partsOf(row.id)),
      ...(omitted.length > 0 && { omitted: [...omitted] }),
    }))
  }

  count(filter: ExecutionFilter): Promise<number> {
    return this.#store.executions.count(filter)
  }

  queues(): Promise<WorkflowQueue[]> {
    return listQueues(this.#store.queue)
  }

  events(options: Parameters<typeof listEvents>[1]): Promise<ReceivedEvent[]> {
    return listEvents(this.#store.events, options)
  }

  async state(row: ExecutionRow): Promise<ExecutionState> {
    const steps = this.#mayShowProgress(row) ? await this.#store.executions.steps(row.id) : []
    return executionState(row, steps, await this.#waiting(row))
  }

  /** Most executions have no progress to show, and their steps need not be read. */
  #mayShowProgress({ status, workflowId, definitionHash }: ExecutionRow): boolean {
    if (isFinal(status)) return false
    const workflow = this.#registry().find(workflowId)
    return workflow?.hash !== definitionHash || workflow.hasLoops
  }

  /** The record of an execution with all steps and events, or with a page of its steps and workflow-level events. */
  async detail(row: ExecutionRow, page?: Page): Promise<ExecutionDetail> {
    const { executions } = this.#store
    const [steps, events] = await Promise.all([
      executions.steps(row.id),
      page ? undefined : executions.events(row.id, { after: 0, limit: MAX_RECORD_EVENTS + 1 }),
    ])
    const all = events && events.length <= MAX_RECORD_EVENTS ? events : undefined
    const workflowEvents =
      all?.filter((event) => isWorkflowLevel(event)) ?? (await executions.workflowEvents(row.id))
    const partsOf = await recordPartsOf(this.#store, [row])
    const workflow = this.#registry().find(row.workflowId)
    const isCall = (path: string) => Boolean(workflow?.hasCallsAt(path) && !workflow.placeAt(path))
    const shown = all ?? events?.slice(0, MAX_RECORD_EVENTS) ?? workflowEvents
    const rows = { steps, page, events: shown, workflowEvents, isCall, ...partsOf(row.id) }
    return { ...executionDetail(row, rows), ...(!all && { omitted: ['events'] }) }
  }

  async #waiting(row: ExecutionRow) {
    const queued = (await waitingAmong(this.#store.queue, [row])).get(row.id)
    const since = this.#suspectedSince(row.id)
    return queued ?? (since === undefined ? undefined : ({ reason: 'suspected', since } as const))
  }

  /** Of an execution that waits for its trial in this process. */
  readonly #suspectedSince = (id: string): number | undefined => this.#trials?.waitingSince(id)

  /**
   * The events of an execution in order, each once: first the recorded ones, then new ones. Reads at most one page
   * ahead, so that a slow reader costs no memory; of what is not stored, it misses the oldest.
   */
  async *follow(
    row: ExecutionRow,
    { after, signal, until, live = false }: FollowOptions,
  ): AsyncGenerator<FollowedEvent> {
    const wakeUp = new WakeUp()
    let mayHaveMore = true
    const unsubscribe = this.#hub.subscribe(row.id, () => {
      mayHaveMore = true
      wakeUp.notify()
    })
    const queue = live ? new LiveQueue(this.#live, row.id, wakeUp.notify) : undefined
    signal.addEventListener('abort', wakeUp.notify)
    try {
      let last = after
      while (!signal.aborted) {
        const range = { after: last, limit: EVENT_PAGE, chars: EVENT_PAGE_CHARS }
        const read = () => this.#store.executions.events(row.id, range)
        const isRead = mayHaveMore
        mayHaveMore = false
        const events = isRead ? await whenAvailable(this.#store, read, signal) : []
        for (const event of events) {
          yield* liveEvents(queue, last)
          last = event.seq
          yield event
          if (endsStream(event, until)) return
        }
        yield* liveEvents(queue, last)
        if (events.length > 0) mayHaveMore = true
        if (mayHaveMore) continue
        if (isFinal(row.status)) return
        await wakeUp.wait()
      }
    } finally {
      unsubscribe()
      queue?.close()
      signal.removeEventListener('abort', wakeUp.notify)
    }
  }
}

function* liveEvents(queue: LiveQueue | undefined, last: number): Generator<FollowedEvent> {
  for (const data of queue?.take(last) ?? []) yield { data }
}

const RESULT = '{"type":"workflow-result"'

function endsStream({ data }: EventRow, until: FollowOptions['until']): boolean {
  if (!data.startsWith(RESULT)) return false
  return until === 'result' || (JSON.parse(data) as { status: string }).status !== 'suspended'
}
