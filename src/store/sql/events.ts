import type { ScheduledJob } from '../dispatcher.ts'
import type {
  EventStore,
  EventTopic,
  NumberedEvent,
  SentEventRange,
  SentEventRow,
  StoredEvent,
  TakenEvent,
  WaitingStep,
} from '../event-store.ts'
import type { Dialect } from './dialect.ts'
import { tx } from './sql.ts'
import type { Sql } from './sql.ts'

const COLUMNS = 'number, id, name, key, data, at, sender, misfits'

const INSERT = `INSERT INTO events (id, name, key, data, at, sender, misfits) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO NOTHING`
const GET = `SELECT ${COLUMNS} FROM events WHERE id = ?`

/** Two texts, as an index finds the key null only by its own condition. */
const byTopic = (query: (isTopic: (table: string) => string) => string) => ({
  withKey: query((table) => `${table}.name = ? AND ${table}.key = ?`),
  withoutKey: query((table) => `${table}.name = ? AND ${table}.key IS NULL`),
})

const WAITING = byTopic(
  (isTopic) => `SELECT e.id AS "executionId", e.workflow_id AS "workflowId", e.owner, w.path, w.since
    FROM waits w JOIN executions e ON e.id = w.execution_id WHERE ${isTopic('w')} ORDER BY e.id, w.path`,
)

const textsOf = ({ among, skipLocked, jsonArray }: Dialect) => ({
  list: byTopic(
    (isTopic) => `SELECT ${COLUMNS} FROM events e WHERE ${isTopic('e')} AND at >= ? AND number > ?
      AND NOT (${among('id')}) ORDER BY number LIMIT ?`,
  ),
  newest: `SELECT ${COLUMNS}, ${jsonArray(
    'execution_id',
    'SELECT execution_id FROM event_takes t WHERE t.event_id = e.id ORDER BY execution_id LIMIT ?',
  )} AS "takenBy" FROM events e ORDER BY number DESC LIMIT ?`,
  prune: `DELETE FROM events WHERE number IN (
    SELECT number FROM events e WHERE at < ? AND NOT EXISTS (
      SELECT 1 FROM waits w WHERE w.name = e.name AND w.key IS NOT DISTINCT FROM e.key AND w.since <= e.at + ?
    ) ORDER BY at LIMIT ? ${skipLocked})`,
})

/** Events that were sent, and the steps that wait for them. */
export class SqlEvents implements EventStore {
  readonly #sql: Sql
  readonly #texts: ReturnType<typeof textsOf>

  constructor(sql: Sql) {
    this.#sql = sql
    this.#texts = textsOf(sql.dialect)
  }

  insert(event: SentEventRow, jobs: readonly ScheduledJob[]): Promise<StoredEvent> {
    const { id, name, key, data, at, sender, misfits } = event
    return this.#sql.transaction(function* () {
      const isNew = (yield* tx.run(INSERT, [id, name, key, data, at, sender, misfits])) > 0
      if (isNew) yield* tx.jobs({ add: jobs })
      const [stored] = yield* tx.all<NumberedEvent>(GET, [id])
      return { event: stored as NumberedEvent, isNew }
    })
  }

  get(id: string): Promise<NumberedEvent | undefined> {
    return this.#sql.first(GET, [id])
  }

  waiting(topic: EventTopic): Promise<readonly WaitingStep[]> {
    return this.#sql.all(WAITING[keyed(topic)], valuesOf(topic))
  }

  list(topic: EventTopic, range: SentEventRange): Promise<readonly NumberedEvent[]> {
    const { since, after, limit, except } = range
    return this.#sql.all(this.#texts.list[keyed(topic)], [...valuesOf(topic), since, after, except, limit])
  }

  async newest(limit: number, takers: number): Promise<readonly TakenEvent[]> {
    const rows = await this.#sql.all<NumberedEvent & { readonly takenBy: string }>(this.#texts.newest, [
      takers,
      limit,
    ])
    return rows.map((row) => ({ ...row, takenBy: JSON.parse(row.takenBy) as string[] }))
  }

  prune(rule: { readonly now: number; readonly maxAgeMs: number }, limit: number): Promise<number> {
    const { now, maxAgeMs } = rule
    return this.#sql.run(this.#texts.prune, [now - maxAgeMs, maxAgeMs, limit])
  }
}

function keyed({ key }: EventTopic): 'withKey' | 'withoutKey' {
  return key === null ? 'withoutKey' : 'withKey'
}

function valuesOf({ name, key }: EventTopic): string[] {
  return key === null ? [name] : [name, key]
}
