import { ApiError } from '../client/api-error.ts'
import type { ApiClient } from '../client/api.ts'
import type { ExecutionError, ExecutionEvent, ExecutionResult, Suspension } from '../contract/event.ts'
import { isFinal } from '../contract/is-final.ts'
import { LiveStore, asError } from './live-store.ts'

/** An execution as it is now. */
export interface ExecutionView<Result> {
  /** `undefined` until the first event has arrived. */
  readonly status: ExecutionResult['status'] | undefined
  /** The result of a completed execution. */
  readonly result: Result | undefined
  /** What a suspended execution waits for. */
  readonly suspension: Suspension | undefined
  /** Why the execution has failed. */
  readonly failure: ExecutionError | undefined
  /** The newest 1,000 events, in order. Those without a `sequence`, such as parts of an agent's answer, are not recorded. */
  readonly events: readonly ExecutionEvent[]
  /** Whether its events arrive. After a lost connection it becomes `true` again by itself. */
  readonly isConnected: boolean
  /** Why its events can't be read, such as an `ApiError` with status 401, 403 or 404. It is not tried again. */
  readonly error: Error | undefined
}

export const NO_EXECUTION: ExecutionView<never> = {
  status: undefined,
  result: undefined,
  suspension: undefined,
  failure: undefined,
  events: [],
  isConnected: false,
  error: undefined,
}

const MAX_EVENTS = 1000
const MIN_DELAY_MS = 250
const MAX_DELAY_MS = 10_000

/** Follows an execution. After a lost connection, and when it is shown again, it continues after its last event. */
export class FollowedExecution extends LiveStore<ExecutionView<unknown>> {
  readonly #client: ApiClient
  readonly #params: { readonly id: string; readonly executionId: string }
  #after = 0

  constructor(client: ApiClient, workflowId: string, executionId: string) {
    super(NO_EXECUTION)
    this.#client = client
    this.#params = { id: workflowId, executionId }
  }

  protected override async stream(signal: AbortSignal): Promise<void> {
    let delay = MIN_DELAY_MS
    while (!signal.aborted && !this.#hasEnded()) {
      try {
        this.set({ isConnected: true, error: undefined })
        const query = { after: String(this.#after) }
        for await (const event of this.#client.followExecution({ params: this.#params, query, signal })) {
          if (signal.aborted) return
          delay = MIN_DELAY_MS
          this.#apply(event)
        }
      } catch (error) {
        if (signal.aborted) return
        if (isRefusal(error)) return this.set({ isConnected: false, error: asError(error) })
      }
      if (signal.aborted || this.#hasEnded()) break
      this.set({ isConnected: false })
      await pause(delay, signal)
      delay = Math.min(2 * delay, MAX_DELAY_MS)
    }
    if (!signal.aborted) this.set({ isConnected: false })
  }

  #hasEnded(): boolean {
    const { status } = this.get()
    return status !== undefined && isFinal(status)
  }

  #apply(event: ExecutionEvent & { readonly sequence: number }): void {
    this.#after = Math.max(this.#after, event.sequence)
    const events = [...this.get().events.slice(1 - MAX_EVENTS), event]
    if (event.type === 'workflow-result') {
      const { status, result, suspension, error } = event
      this.set({ events, status, result: result ?? undefined, suspension, failure: error })
    } else if (event.type === 'workflow-start' || event.type === 'workflow-resumed')
      this.set({ events, status: 'running', suspension: undefined })
    else this.set({ events })
  }
}

/** Whether another try would have the same response. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500 && error.status !== 408 && error.status !== 429
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end, { once: true })
  })
}
