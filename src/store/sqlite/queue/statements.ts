import type { Database, Statement } from '../driver.ts'

export interface LimitsRow {
  readonly concurrency: number | null
  readonly rate: number | null
  readonly perMs: number | null
}

export interface SlotRow {
  readonly id: string
  readonly workflowId: string
  readonly concurrencyKey: string
  readonly rateKey: string
  readonly rank: number
  readonly number: number
  readonly since: number
}

const ROW = `SELECT execution_id AS id, workflow_id AS workflowId, concurrency_key AS concurrencyKey, rate_key AS rateKey,
  rank, number, since, state FROM queue`
const WAITING = `workflow_id = ? AND state = 'waiting'`
const AT_RANK = 'rank = ? AND number > ? AND number <= ?'
const BETWEEN_RANKS = 'rank > ? AND rank < ?'
const GROUPS = `ORDER BY concurrency_key, rate_key LIMIT 1`

export type QueueStatements = ReturnType<typeof queueStatements>

export function queueStatements(database: Database) {
  const sql = (text: string): Statement => database.prepare(text)
  const counts = (key: string) => {
    const count = `SELECT count(*) AS count FROM queue WHERE ${WAITING} AND ${key} = ? AND`
    return { atRank: sql(`${count} ${AT_RANK}`), between: sql(`${count} ${BETWEEN_RANKS}`) }
  }
  return {
    limits: sql('SELECT concurrency, rate, per_ms AS perMs FROM queue_limits WHERE workflow_id = ?'),
    all: sql(
      `SELECT workflow_id AS workflowId, concurrency, rate, per_ms AS perMs, waiting,
         (SELECT count(*) FROM queue q WHERE q.workflow_id = l.workflow_id AND q.state = 'running') AS running
       FROM queue_limits l ORDER BY workflow_id`,
    ),
    first: sql(`${ROW} WHERE ${WAITING} ORDER BY rank, number LIMIT ?`),
    limited: sql('SELECT workflow_id AS id FROM queue_limits'),
    putLimits: sql(
      `INSERT INTO queue_limits (workflow_id, concurrency, rate, per_ms) VALUES (?, ?, ?, ?) ON CONFLICT (workflow_id)
       DO UPDATE SET concurrency = excluded.concurrency, rate = excluded.rate, per_ms = excluded.per_ms`,
    ),
    keepLimits: sql(
      'INSERT OR IGNORE INTO queue_limits (workflow_id, concurrency, rate, per_ms) VALUES (?, ?, ?, ?)',
    ),
    dropStale: sql(
      `DELETE FROM queue WHERE NOT EXISTS (SELECT 1 FROM executions e WHERE e.id = execution_id
         AND e.status = CASE state WHEN 'suspended' THEN 'suspended' ELSE 'running' END)`,
    ),
    recount: sql(
      `UPDATE queue_limits SET waiting = (SELECT count(*) FROM queue q
         WHERE q.workflow_id = queue_limits.workflow_id AND q.state = 'waiting')`,
    ),
    waitingCount: sql('SELECT coalesce(sum(waiting), 0) AS count FROM queue_limits'),
    addWaiting: sql('UPDATE queue_limits SET waiting = waiting + ? WHERE workflow_id = ?'),
    // one that continues keeps its rank
    enter: sql(
      `INSERT INTO queue (number, execution_id, workflow_id, concurrency_key, rate_key, rank, since, state)
         VALUES ((SELECT coalesce(max(number), 0) + 1 FROM queue), ?, ?, ?, ?, ?, ?, 'waiting')
       ON CONFLICT (execution_id) DO UPDATE SET number = excluded.number, workflow_id = excluded.workflow_id,
         concurrency_key = excluded.concurrency_key, rate_key = excluded.rate_key, since = excluded.since, state = 'waiting'`,
    ),
    begin: sql(`UPDATE queue SET state = 'running' WHERE execution_id = ?`),
    suspend: sql(`UPDATE queue SET state = 'suspended' WHERE execution_id = ?`),
    drop: sql('DELETE FROM queue WHERE execution_id = ?'),
    row: sql(`${ROW} WHERE execution_id = ?`),
    slot: sql(`${ROW} WHERE execution_id = ? AND state = 'waiting'`),
    head: sql(
      `${ROW} WHERE ${WAITING} AND concurrency_key = ? AND rate_key = ? ORDER BY rank, number LIMIT 1`,
    ),
    groupFrom: sql(`${ROW} WHERE ${WAITING} AND concurrency_key >= ? ${GROUPS}`),
    groupAfter: sql(`${ROW} WHERE ${WAITING} AND concurrency_key = ? AND rate_key > ? ${GROUPS}`),
    groupAfterKey: sql(`${ROW} WHERE ${WAITING} AND concurrency_key > ? ${GROUPS}`),
    otherOfRate: sql(`SELECT 1 FROM queue WHERE ${WAITING} AND rate_key = ? AND execution_id <> ? LIMIT 1`),
    otherOfConcurrency: sql(
      `SELECT 1 FROM queue WHERE ${WAITING} AND concurrency_key = ? AND execution_id <> ? LIMIT 1`,
    ),
    // not with row values, which SQLite compares row by row
    counts: { concurrency: counts('concurrency_key'), rate: counts('rate_key') },
    running: sql(
      `SELECT count(*) AS count FROM queue WHERE workflow_id = ? AND concurrency_key = ? AND state = 'running'`,
    ),
    start: sql(
      `SELECT started_at AS at FROM queue_starts WHERE workflow_id = ? AND rate_key = ? AND started_at > ?
       ORDER BY started_at DESC LIMIT 1 OFFSET ?`,
    ),
    addStart: sql('INSERT OR REPLACE INTO queue_starts VALUES (?, ?, ?, ?)'),
    // one that continues has started before
    restamp: sql(
      `UPDATE queue_starts SET started_at = ?1 WHERE execution_id = ?2
         AND EXISTS (SELECT 1 FROM queue WHERE execution_id = ?2 AND rate_key <> '-')`,
    ),
    prune: sql('DELETE FROM queue_starts WHERE workflow_id = ? AND started_at <= ?'),
    amend: sql('UPDATE queue_starts SET started_at = ? WHERE workflow_id = ? AND started_at > ?'),
    waitingOf: sql(`SELECT execution_id AS id FROM queue WHERE ${WAITING} ORDER BY rank, number`),
    dismiss: ['queue_limits', 'queue_starts', 'queue'].map((table) =>
      sql(`DELETE FROM ${table} WHERE workflow_id = ?`),
    ),
  }
}
