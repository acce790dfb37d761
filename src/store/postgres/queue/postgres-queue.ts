import type { QueueLimits, QueueState, QueueStore, WaitReason } from '../../queue-store.ts'
import type { PostgresDatabase } from '../connection/database.ts'
import type { PostgresDatabases } from '../connection/postgres-databases.ts'
import type { JobWriter } from '../executions/job-writer.ts'
import { escapeNul, unescapeNul } from '../escape-nul.ts'
import { jobsOfOutcomes } from './queue-outcome.ts'
import type { QueueOutcome } from './queue-outcome.ts'

export interface QueueDeps {
  readonly databases: Pick<PostgresDatabases, 'writes' | 'reads'>
  readonly jobs: JobWriter
}

// each count continues from the one before it: all together are one pass over those that wait
const COUNT = `SELECT count(*) FROM queue o WHERE o.workflow_id = r.workflow_id AND o.state = 'waiting'
  AND (o.rank, o.number) > (r.rank_before, r.number_before) AND (o.rank, o.number) <= (r.rank, r.number)`
const WAITING = `WITH asked AS (
    SELECT q.*, CASE WHEN queue_is_full(q.workflow_id, q.concurrency_key, l.concurrency) THEN 'concurrency' ELSE 'rate' END AS reason
    FROM queue q JOIN queue_limits l USING (workflow_id) WHERE q.execution_id = ANY ($1) AND q.state = 'waiting'
  ), keyed AS (
    SELECT *, CASE reason WHEN 'rate' THEN rate_key ELSE concurrency_key END AS key FROM asked
  ), ranges AS (
    SELECT *, coalesce(lag(rank) OVER w, '-Infinity') AS rank_before, coalesce(lag(number) OVER w, 0) AS number_before FROM keyed
    WINDOW w AS (PARTITION BY workflow_id, reason, key ORDER BY rank, number)
  ), counts AS (
    SELECT *, CASE reason WHEN 'rate' THEN (${COUNT} AND o.rate_key = r.key)
      ELSE (${COUNT} AND o.concurrency_key = r.key) END AS count FROM ranges r
  )
  SELECT execution_id AS id, since, reason,
    (sum(count) OVER (PARTITION BY workflow_id, reason, key ORDER BY rank, number))::bigint AS position FROM counts`

const QUEUES = `SELECT workflow_id AS "workflowId", concurrency, rate, per_ms AS "perMs", waiting,
    (SELECT count(*) FROM queue q WHERE q.workflow_id = l.workflow_id AND q.state = 'running') AS running,
    (SELECT coalesce(json_agg(json_build_object('id', f.execution_id, 'concurrencyKey', f.concurrency_key, 'rateKey', f.rate_key)), '[]')
      FROM (SELECT * FROM queue q WHERE q.workflow_id = l.workflow_id AND q.state = 'waiting'
        ORDER BY rank, number LIMIT $1) f)::text AS first
  FROM queue_limits l ORDER BY workflow_id`

interface QueueRow extends Omit<QueueState, 'rate' | 'first'> {
  readonly rate: number | null
  readonly perMs: number | null
  /** JSON. */
  readonly first: string
}

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
        values: [JSON.stringify(limits.map((one) => limitsJson(one))), databaseTime(now, jobs)],
      }),
    admit: (workflowId, now) =>
      change(writes, jobs, {
        text: `SELECT o.* FROM (SELECT workflow_id FROM queue_limits WHERE workflow_id = $1 FOR UPDATE) l,
          LATERAL queue_admit(l.workflow_id, $2, NULL) o`,
        values: [workflowId, databaseTime(now, jobs)],
      }),
    waiting: async (ids) => {
      const byKey = new Map(ids.map((id) => [escapeNul(id), id]))
      const values = [[...byKey.keys()]]
      const rows = await reads.rows<WaitingRow>({ name: 'queue_waiting', text: WAITING, values })
      return new Map(rows.map(({ id, ...waiting }) => [byKey.get(id) ?? id, waiting]))
    },
    list: async (limit) => {
      const rows = await reads.rows<QueueRow>({ name: 'queues', text: QUEUES, values: [limit] })
      return rows.map(({ rate, perMs, first, ...row }) => ({
        ...row,
        rate: rate === null || perMs === null ? null : { limit: rate, perMs },
        first: (JSON.parse(first) as QueueState['first']).map((one) => ({
          id: unescapeNul(one.id),
          concurrencyKey: unescapeNul(one.concurrencyKey),
          rateKey: unescapeNul(one.rateKey),
        })),
      }))
    },
  }
}

/** The limits as the functions take them. */
export function limitsJson({ workflowId, concurrency, rate }: QueueLimits) {
  return { workflow: workflowId, concurrency, rate: rate?.limit ?? null, perMs: rate?.perMs ?? null }
}

/** A time of this machine in the clock of the database, which all machines share. */
export function databaseTime(time: number, { clockOffset }: JobWriter): number {
  return Math.round(time + clockOffset)
}

function change(
  database: PostgresDatabase,
  jobs: JobWriter,
  query: { readonly text: string; readonly values: readonly unknown[] },
): Promise<void> {
  return database.transaction(async (tx) => {
    const added = jobsOfOutcomes(await tx.rows<QueueOutcome>(query), jobs)
    if (added.length > 0) await jobs.add(tx, added)
  })
}
