import type { QueueLimits, QueueStore, WaitReason } from '../../queue-store.ts'
import type { Databases, PostgresDatabase } from '../connection/database.ts'
import type { JobWriter } from '../executions/job-writer.ts'
import { jobsOfOutcomes } from './queue-outcome.ts'
import type { QueueOutcome } from './queue-outcome.ts'

export interface QueueDeps {
  readonly databases: Pick<Databases, 'writes' | 'reads'>
  readonly jobs: JobWriter
}

const WAITING = `SELECT q.execution_id AS id, q.since,
    (SELECT count(*) FROM queue o WHERE o.workflow_id = q.workflow_id AND o.concurrency_key = q.concurrency_key
      AND o.state = 'waiting' AND (o.priority > q.priority OR (o.priority = q.priority AND o.number <= q.number))) AS position,
    CASE WHEN queue_is_full(q.workflow_id, q.concurrency_key, l.concurrency) THEN 'concurrency' ELSE 'rate' END AS reason
  FROM queue q JOIN queue_limits l USING (workflow_id) WHERE q.execution_id = ANY ($1) AND q.state = 'waiting'`

interface WaitingRow {
  readonly id: string
  readonly since: number
  readonly position: number
  readonly reason: WaitReason
}

export function postgresQueue({ databases, jobs }: QueueDeps): QueueStore {
  const { reads, writes } = databases
  return {
    configure: (limits, now) =>
      change(writes, jobs, {
        text: 'SELECT * FROM configure_queue($1, $2)',
        values: [JSON.stringify(limits.map((one) => limitsJson(one))), now],
      }),
    admit: (workflowId, now) =>
      change(writes, jobs, {
        text: `SELECT o.* FROM (SELECT workflow_id FROM queue_limits WHERE workflow_id = $1 FOR UPDATE) l,
          LATERAL queue_admit(l.workflow_id, $2, NULL) o`,
        values: [workflowId, now],
      }),
    waiting: async (ids) => {
      const rows = await reads.rows<WaitingRow>({ name: 'queue_waiting', text: WAITING, values: [ids] })
      return new Map(rows.map(({ id, ...waiting }) => [id, waiting]))
    },
    count: async (max) => {
      const [row] = await reads.rows<{ count: number }>({
        name: 'queue_count',
        text: `SELECT count(*) AS count FROM (SELECT FROM queue WHERE state = 'waiting' LIMIT $1) waiting`,
        values: [max],
      })
      return row?.count ?? 0
    },
  }
}

/** The limits as the functions take them. */
export function limitsJson({ workflowId, concurrency, rate }: QueueLimits) {
  return { workflow: workflowId, concurrency, rate: rate?.limit ?? null, perMs: rate?.perMs ?? null }
}

function change(
  database: PostgresDatabase,
  jobs: JobWriter,
  query: { readonly text: string; readonly values: readonly unknown[] },
): Promise<void> {
  return database.transaction(async (tx) => {
    const added = jobsOfOutcomes(await tx.rows<QueueOutcome>(query))
    if (added.length > 0) await jobs.add(tx, added)
  })
}
