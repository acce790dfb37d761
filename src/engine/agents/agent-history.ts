import type { AgentRunRecord } from '../../contract/endpoints/agent.ts'
import type { AgentRunFilter } from '../../store/agent-store.ts'
import type { Page } from '../../store/page.ts'
import type { Store } from '../../store/store.ts'
import { agentRunRecord } from './agent-records.ts'

/** Reads the recorded runs of agents. */
export class AgentHistory {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  async list(filter: AgentRunFilter, page: Page): Promise<AgentRunRecord[]> {
    const rows = await this.#store.agentRuns.list(filter, page)
    return rows.map((row) => agentRunRecord(row))
  }

  count(filter: AgentRunFilter): Promise<number> {
    return this.#store.agentRuns.count(filter)
  }
}
