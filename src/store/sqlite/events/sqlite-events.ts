import type { ScheduledJob } from '../../dispatcher.ts'
import type {
  EventStore,
  EventTopic,
  NumberedEvent,
  SentEventRange,
  SentEventRow,
  StoredEvent,
  TakenEvent,
  WaitingStep,
} from '../../event-store.ts'
import type { JobTable } from '../dispatch/job-table.ts'
import type { Database, Statement } from '../driver.ts'
import { inTransaction } from '../transaction.ts'

/** Events that were sent, and the steps that wait for them. */
export class SqliteEvents implements EventStore {
  readonly #database: Database
  readonly #jobs: JobTable
  readonly #insert: Statement
  readonly #get: Statement
  readonly #waiting: Statement
  readonly #list: Statement
  readonly #newest: Statement
  readonly #takers: Statement
  readonly #prune: Statement

  constructor(database: Database, jobs: JobTable) {
    const prepare = (sql: string) => database.prepare(sql)
    this.#database = database
    this.#jobs = jobs
    this.#insert = prepare(
      'INSERT INTO events (id, name, key, data, at, sender, misfits) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
    )
    this.#get = prepare('SELECT * FROM events WHERE id = ?')
    this.#waiting = prepare(
      `SELECT e.id AS executionId, e.workflow_id AS workflowId, e.owner, w.path, w.since
       FROM waits w JOIN executions e ON e.id = w.execution_id
       WHERE w.name = ? AND w.key IS ? ORDER BY e.id, w.path`,
    )
    this.#list = prepare(
      `SELECT * FROM events WHERE name = ? AND key IS ? AND at >= ? AND number > ?
         AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY number LIMIT ?`,
    )
    this.#newest = prepare('SELECT * FROM events ORDER BY number DESC LIMIT ?')
    this.#takers = prepare(
      'SELECT execution_id AS id FROM event_takes WHERE event_id = ? ORDER BY execution_id LIMIT ?',
    )
    this.#prune = prepare(
      `DELETE FROM events WHERE number IN (
         SELECT number FROM events e WHERE at < ?1 - ?2 AND NOT EXISTS (
           SELECT 1 FROM waits w WHERE w.name = e.name AND w.key IS e.key AND w.since <= e.at + ?2
         ) ORDER BY at LIMIT ?3
       )`,
    )
  }

  async insert(event: SentEventRow, jobs: readonly ScheduledJob[]): Promise<StoredEvent> {
    const { id, name, key, data, at, sender, misfits } = event
    let isNew = false
    try {
      inTransaction(this.#database, () => {
        isNew = Number(this.#insert.run(id, name, key, data, at, sender, misfits).changes) > 0
        if (isNew) this.#jobs.change({ add: jobs })
      })
    } catch (error) {
      this.#jobs.discard()
      throw error
    }
    this.#jobs.committed()
    return { event: this.#find(id) as NumberedEvent, isNew }
  }

  async get(id: string): Promise<NumberedEvent | undefined> {
    return this.#find(id)
  }

  async waiting({ name, key }: EventTopic): Promise<readonly WaitingStep[]> {
    return this.#waiting.all(name, key) as WaitingStep[]
  }

  async list({ name, key }: EventTopic, range: SentEventRange): Promise<readonly NumberedEvent[]> {
    const { since, after, limit, except } = range
    return this.#list.all(name, key, since, after, JSON.stringify(except), limit) as NumberedEvent[]
  }

  async newest(limit: number, takers: number): Promise<readonly TakenEvent[]> {
    return (this.#newest.all(limit) as NumberedEvent[]).map((event) => ({
      ...event,
      takenBy: (this.#takers.all(event.id, takers) as { id: string }[]).map(({ id }) => id),
    }))
  }

  async prune(
    { now, maxAgeMs }: { readonly now: number; readonly maxAgeMs: number },
    limit: number,
  ): Promise<number> {
    return Number(this.#prune.run(now, maxAgeMs, limit).changes)
  }

  /** `get` of libsql adds a member to the row. */
  #find(id: string): NumberedEvent | undefined {
    return (this.#get.all(id) as NumberedEvent[])[0]
  }
}
