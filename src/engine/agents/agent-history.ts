import type { AgentRunRecord } from '../../contract/endpoints/agent.ts'
import type { EventHub } from '../../lib/async/event-hub.ts'
import { WakeUp } from '../../lib/async/wake-up.ts'
import { whenAvailable } from '../database-outage.ts'
import type { AgentRunFilter } from '../../store/agent-store.ts'
import type { Page } from '../../store/page.ts'
import type { Store } from '../../store/store.ts'
import { agentRunRecord } from './agent-records.ts'

/** Reads the recorded runs of agents. */
export class AgentHistory {
  readonly #store: Store
  readonly #hub: EventHub

  constructor(store: Store, hub: EventHub) {
    this.#store = store
    this.#hub = hub
  }

  /** Waits until a run has ended, on whatever machine. `undefined` without the run, or when `signal` aborts. */
  async awaitEnd(id: string, signal: AbortSignal): Promise<AgentRunRecord | undefined> {
    const wakeUp = new WakeUp()
    const unsubscribe = this.#hub.subscribe(id, wakeUp.notify)
    signal.addEventListener('abort', wakeUp.notify)
    try {
      while (!signal.aborted) {
        const read = () => this.#store.agentRuns.list({ id }, { limit: 1, offset: 0 })
        const [row] = await whenAvailable(this.#store, read, signal)
        if (row?.status !== 'running') return row && agentRunRecord(row)
        await wakeUp.wait()
      }
      return undefined
    } finally {
      unsubscribe()
      signal.removeEventListener('abort', wakeUp.notify)
    }
  }

  async list(filter: AgentRunFilter, page: Page): Promise<AgentRunRecord[]> {
    const rows = await this.#store.agentRuns.list(filter, page)
    return rows.map((row) => agentRunRecord(row))
  }

  count(filter: AgentRunFilter): Promise<number> {
    return this.#store.agentRuns.count(filter)
  }
}
