import type { WaitChange } from '../../event-store.ts'
import type { PostgresQueries } from '../connection/database.ts'
import { escapeNul } from '../escape-nul.ts'

/** The waits that begin and end with a change of an execution. */
export interface ExecutionWaits extends WaitChange {
  readonly executionId: string
}

/** Stores waits in the transaction of the changes that they belong to. */
export async function writeWaits(tx: PostgresQueries, changes: readonly ExecutionWaits[]): Promise<void> {
  const dropped = changes.flatMap(({ executionId, drop }) => drop.map((path) => [executionId, path]))
  if (dropped.length > 0)
    await tx.change({
      name: 'drop_waits',
      text: `DELETE FROM waits WHERE (execution_id, path) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
      values: [dropped.map(([id]) => id), dropped.map(([, path]) => path)],
    })
  const taken = changes.flatMap(({ executionId, take }) => take.map((id) => [executionId, id]))
  if (taken.length > 0)
    await tx.change({
      name: 'take_events',
      text: `INSERT INTO event_takes (event_id, execution_id)
        SELECT e.id, t.execution_id FROM unnest($1::text[], $2::text[]) t (execution_id, event_id) JOIN events e ON e.id = t.event_id
        ON CONFLICT DO NOTHING`,
      values: [taken.map(([id]) => id), taken.map(([, id]) => id)],
    })
  const added = changes.flatMap(({ executionId, add }) => add.map((wait) => ({ executionId, ...wait })))
  if (added.length > 0)
    await tx.change({
      name: 'add_waits',
      text: `INSERT INTO waits (execution_id, path, name, key, since)
        SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])
        ON CONFLICT (execution_id, path) DO UPDATE SET name = excluded.name, key = excluded.key, since = excluded.since`,
      values: [
        added.map(({ executionId }) => executionId),
        added.map(({ path }) => path),
        added.map(({ name }) => name),
        added.map(({ key }) => escapeNul(key)),
        added.map(({ since }) => since),
      ],
    })
}
