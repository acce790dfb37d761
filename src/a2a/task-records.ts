import type { AgentRunRecord, AgentRunStatus } from '../contract/endpoints/agent.ts'
import type { User } from '../contract/auth.ts'
import type { AgentHistory } from '../engine/agents/agent-history.ts'
import { isId } from '../lib/ids.ts'

export interface TaskFilter {
  readonly conversationId?: string | undefined
  readonly status?: AgentRunStatus | undefined
  readonly changedSince?: number | undefined
}

/**
 * The tasks of one user at one agent: the runs on record. Those of different users never meet. A user whom the auth
 * provider gives no id can't be told from others, and finds none.
 */
export class TaskRecords {
  readonly #history: AgentHistory
  readonly #agentId: string
  readonly #user: User | undefined

  constructor(history: AgentHistory, of: { agentId: string; user: User | undefined }) {
    this.#history = history
    this.#agentId = of.agentId
    this.#user = of.user
  }

  /** A task by its id, which may be anything. */
  async find(id: string): Promise<AgentRunRecord | undefined> {
    if (!isId(id) || this.#isNameless()) return undefined
    return this.#first(id, { userId: this.#userId() })
  }

  /** A task that was begun just now, for the very request that began it. */
  async begun(id: string): Promise<AgentRunRecord | undefined> {
    return this.#first(id, {})
  }

  /** Newest first, with how many there are in all. */
  async list(filter: TaskFilter, page: { limit: number; offset: number }) {
    if (this.#isNameless()) return { total: 0, records: [] }
    const all = { ...filter, agentId: this.#agentId, userId: this.#userId() }
    const [total, records] = [await this.#history.count(all), await this.#history.list(all, page)]
    return { total, records }
  }

  async #first(id: string, owner: { userId?: string | null }): Promise<AgentRunRecord | undefined> {
    const filter = { id, agentId: this.#agentId, ...owner }
    const [record] = await this.#history.list(filter, { limit: 1, offset: 0 })
    return record
  }

  #userId(): string | null {
    return this.#user?.id ?? null
  }

  #isNameless(): boolean {
    return this.#user !== undefined && this.#user.id === undefined
  }
}
