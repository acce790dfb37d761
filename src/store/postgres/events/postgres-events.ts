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
import type { Databases } from '../connection/database.ts'
import { RepeatedWrites } from '../connection/repeated-writes.ts'
import { escapeNul } from '../escape-nul.ts'
import type { JobWriter } from '../executions/job-writer.ts'

interface PostgresEventDeps {
  readonly databases: Pick<Databases, 'writes' | 'reads'>
  readonly jobs: JobWriter
  /** Aborts when the store closes: writes wait no more. */
  readonly closing: AbortSignal
}

const COLUMNS = 'number, id, name, key, data, at, sender, misfits'

/** Events that were sent, and the steps that wait for them. */
export class PostgresEvents implements EventStore {
  readonly #deps: PostgresEventDeps
  readonly #writes: RepeatedWrites

  constructor(deps: PostgresEventDeps) {
    this.#deps = deps
    this.#writes = new RepeatedWrites(deps.closing)
  }

  async insert(event: SentEventRow, added: readonly ScheduledJob[]): Promise<StoredEvent> {
    const { databases, jobs } = this.#deps
    const { id, name, key, data, at, sender, misfits } = event
    const isNew = await this.#writes.run(() =>
      databases.writes.transaction(async (tx) => {
        const inserted = await tx.change({
          name: 'insert_event',
          text: `INSERT INTO events (id, name, key, data, at, sender, misfits) VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (id) DO NOTHING`,
          values: [id, name, escapeNul(key), data, at, sender, misfits],
        })
        if (inserted > 0) await jobs.add(tx, added)
        return inserted > 0
      }),
    )
    return { event: (await this.get(id)) as NumberedEvent, isNew }
  }

  async get(id: string): Promise<NumberedEvent | undefined> {
    const [event] = await this.#deps.databases.writes.rows<NumberedEvent>({
      name: 'get_event',
      text: `SELECT ${COLUMNS} FROM events WHERE id = $1`,
      values: [id],
    })
    return event
  }

  waiting({ name, key }: EventTopic): Promise<readonly WaitingStep[]> {
    const topic = topicOf({ name, key })
    return this.#deps.databases.reads.rows<WaitingStep>({
      name: `waiting_steps${topic.suffix}`,
      text: `SELECT e.id AS "executionId", e.workflow_id AS "workflowId", e.owner, w.path, w.since
        FROM waits w JOIN executions e ON e.id = w.execution_id
        WHERE ${topic.condition('w')} ORDER BY e.id, w.path`,
      values: topic.values,
    })
  }

  list({ name, key }: EventTopic, range: SentEventRange): Promise<readonly NumberedEvent[]> {
    const { since, after, limit, except } = range
    const topic = topicOf({ name, key })
    const place = (offset: number) => `$${topic.values.length + offset}`
    return this.#deps.databases.reads.rows<NumberedEvent>({
      name: `list_events${topic.suffix}`,
      text: `SELECT ${COLUMNS} FROM events e WHERE ${topic.condition('e')} AND at >= ${place(1)} AND number > ${place(2)}
        AND id <> ALL(${place(3)}::text[]) ORDER BY number LIMIT ${place(4)}`,
      values: [...topic.values, since, after, except, limit],
    })
  }

  newest(limit: number, takers: number): Promise<readonly TakenEvent[]> {
    return this.#deps.databases.reads.rows<TakenEvent>({
      name: 'newest_events',
      text: `SELECT ${COLUMNS}, ARRAY(
          SELECT execution_id FROM event_takes t WHERE t.event_id = e.id ORDER BY execution_id LIMIT $2
        ) AS "takenBy" FROM events e ORDER BY number DESC LIMIT $1`,
      values: [limit, takers],
    })
  }

  prune(
    { now, maxAgeMs }: { readonly now: number; readonly maxAgeMs: number },
    limit: number,
  ): Promise<number> {
    return this.#deps.databases.writes.change({
      name: 'prune_events',
      text: `DELETE FROM events WHERE number IN (
          SELECT number FROM events e WHERE at < $1::bigint - $2::bigint AND NOT EXISTS (
            SELECT FROM waits w WHERE w.name = e.name AND w.key IS NOT DISTINCT FROM e.key AND w.since <= e.at + $2::bigint
          ) ORDER BY at LIMIT $3 FOR UPDATE SKIP LOCKED
        )`,
      values: [now, maxAgeMs, limit],
    })
  }
}

/** Two texts, as an index finds the key null only by its own condition. */
function topicOf({ name, key }: EventTopic) {
  const hasKey = key !== null
  return {
    suffix: hasKey ? '_by_key' : '',
    values: hasKey ? [name, escapeNul(key)] : [name],
    condition: (table: string) => `${table}.name = $1 AND ${table}.key ${hasKey ? '= $2' : 'IS NULL'}`,
  }
}
