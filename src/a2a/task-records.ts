import type { AgentRunRecord, AgentRunStatus } from '../contract/endpoints/agent.ts'
import type { User } from '../contract/auth.ts'
import type { AgentHistory } from '../engine/agents/agent-history.ts'
import { isId } from '../lib/ids.ts'
import type { TaskUpdate } from './live-task.ts'
import type { TaskEnd } from './task-format.ts'
import { failureIn, textOf } from './task.ts'

export interface TaskFilter {
  readonly conversationId?: string | undefined
  readonly status?: AgentRunStatus | undefined
  readonly changedSince?: number | undefined
}

/**
 * The recorded runs of one agent that belong to one user. A user without an id cannot be distinguished from others
 * and therefore finds no tasks.
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

  /** The task with this id, which may be any string. */
  async find(id: string): Promise<AgentRunRecord | undefined> {
    if (!isId(id) || this.#isUnidentified()) return undefined
    return this.#first(id, { userId: this.#userId() })
  }

  /** A task that the current request started; also found for users without an id. */
  async started(id: string): Promise<AgentRunRecord | undefined> {
    return this.#first(id, {})
  }

  /**
   * The updates of a task that runs on another machine: its complete answer, and its end. None when `signal` aborts
   * before.
   */
  async *updates(id: string, signal: AbortSignal): AsyncGenerator<TaskUpdate> {
    const record = await this.#history.awaitEnd(id, signal)
    if (!record) return
    const text = textOf(record.output) ?? ''
    if (record.status === 'completed' && record.reason === undefined && text !== '')
      yield { type: 'text', chunk: { text, append: false }, last: true }
    yield { type: 'ended', end: endOf(record, text), at: Date.parse(record.endTime ?? record.startTime) }
  }

  /** The matching tasks, newest first, and their total number. */
  async list(filter: TaskFilter, page: { limit: number; offset: number }) {
    if (this.#isUnidentified()) return { total: 0, records: [] }
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

  #isUnidentified(): boolean {
    return this.#user !== undefined && this.#user.id === undefined
  }
}

function endOf(record: AgentRunRecord, text: string): TaskEnd {
  if (record.reason !== undefined) return { state: 'rejected', message: record.reason }
  if (record.status === 'completed') return { state: 'completed', text }
  if (record.status === 'suspended')
    return { state: 'input-required', approvals: record.approvals ?? [], waits: record.waits }
  return record.status === 'error' ? { state: 'failed', message: failureIn(record) } : { state: 'canceled' }
}
