import type { ScheduledJob } from '../../dispatcher.ts'
import type { QueueChange, QueueEntry } from '../../execution-store.ts'
import { NOBODY } from '../../queue-store.ts'
import type { QueueLimits, QueuePosition, WaitReason } from '../../queue-store.ts'
import type { Database, Statement } from '../driver.ts'

interface LimitsRow {
  readonly concurrency: number | null
  readonly rate: number | null
  readonly perMs: number | null
}

interface PlaceRow {
  readonly id: string
  readonly concurrencyKey: string
  readonly rateKey: string
  readonly startedAt: number | null
}

const PLACE =
  'SELECT execution_id AS id, concurrency_key AS concurrencyKey, rate_key AS rateKey, started_at AS startedAt FROM queue'

/** The places of workflows with limits. Changes are made in a transaction of the caller, who stores the returned jobs with them. */
export class Queue {
  readonly #limits: Statement
  readonly #putLimits: Statement
  readonly #keepLimits: Statement
  readonly #limited: Statement
  readonly #enter: Statement
  readonly #begin: Statement
  readonly #free: Statement
  readonly #end: Statement
  readonly #delete: Statement
  readonly #prune: Statement
  readonly #running: Statement
  readonly #windowEnd: Statement
  readonly #isBehind: Statement
  readonly #nextOfKey: Statement
  readonly #next: Statement
  readonly #waitingOf: Statement
  readonly #dropLimits: Statement
  readonly #dropRows: Statement
  readonly #dropStale: Statement
  readonly #place: Statement
  readonly #waits: Statement
  readonly #count: Statement

  constructor(database: Database) {
    const prepare = (sql: string) => database.prepare(sql)
    this.#limits = prepare(
      'SELECT concurrency, rate, per_ms AS perMs FROM queue_limits WHERE workflow_id = ?',
    )
    this.#putLimits = prepare('INSERT OR REPLACE INTO queue_limits VALUES (?, ?, ?, ?)')
    this.#keepLimits = prepare('INSERT OR IGNORE INTO queue_limits VALUES (?, ?, ?, ?)')
    this.#limited = prepare(
      'SELECT workflow_id AS id FROM queue_limits UNION SELECT DISTINCT workflow_id FROM queue',
    )
    this.#enter = prepare(
      `INSERT INTO queue (number, execution_id, workflow_id, concurrency_key, rate_key, priority, since, state, started_at)
         VALUES ((SELECT coalesce(max(number), 0) + 1 FROM queue), ?, ?, ?, ?, ?, ?, 'waiting', ?)
       ON CONFLICT (execution_id) DO UPDATE SET number = excluded.number, workflow_id = excluded.workflow_id,
         concurrency_key = excluded.concurrency_key, rate_key = excluded.rate_key, priority = excluded.priority,
         since = excluded.since, state = 'waiting', started_at = coalesce(started_at, excluded.started_at)`,
    )
    this.#begin = prepare(
      `UPDATE queue SET state = 'running', started_at = coalesce(started_at, ?) WHERE execution_id = ?`,
    )
    this.#free = prepare(
      `SELECT workflow_id AS workflowId, concurrency_key AS concurrencyKey FROM queue
       WHERE execution_id = ? AND state <> 'ended'`,
    )
    this.#end = prepare(`UPDATE queue SET state = 'ended' WHERE execution_id = ?`)
    this.#delete = prepare('DELETE FROM queue WHERE execution_id = ?')
    this.#prune = prepare(
      `DELETE FROM queue WHERE workflow_id = ? AND state = 'ended' AND coalesce(started_at, 0) <= ?`,
    )
    this.#running = prepare(
      `SELECT count(*) AS count FROM queue WHERE workflow_id = ? AND concurrency_key = ? AND state = 'running'`,
    )
    this.#windowEnd = prepare(
      `SELECT started_at AS at FROM queue WHERE workflow_id = ? AND rate_key = ? AND started_at > ?
       ORDER BY started_at DESC LIMIT 1 OFFSET ?`,
    )
    this.#isBehind = prepare(
      `SELECT EXISTS (SELECT 1 FROM queue WHERE workflow_id = ?1 AND concurrency_key = ?2 AND state = 'waiting'
         AND rate_key = ?3 AND priority >= ?4 AND execution_id <> ?5) AS behind`,
    )
    const blocked = `AND concurrency_key NOT IN (SELECT value FROM json_each(?3))
      AND (started_at IS NOT NULL OR rate_key NOT IN (SELECT value FROM json_each(?4)))
      ORDER BY priority DESC, number LIMIT 1`
    this.#nextOfKey = prepare(
      `${PLACE} WHERE workflow_id = ?1 AND state = 'waiting' AND concurrency_key = ?2 ${blocked}`,
    )
    this.#next = prepare(`${PLACE} WHERE workflow_id = ?1 AND state = 'waiting' AND ?2 IS NULL ${blocked}`)
    this.#waitingOf = prepare(
      `${PLACE} WHERE workflow_id = ? AND state = 'waiting' ORDER BY priority DESC, number`,
    )
    this.#dropLimits = prepare('DELETE FROM queue_limits WHERE workflow_id = ?')
    this.#dropRows = prepare('DELETE FROM queue WHERE workflow_id = ?')
    this.#dropStale = prepare(
      `DELETE FROM queue WHERE state <> 'ended'
       AND NOT EXISTS (SELECT 1 FROM executions e WHERE e.id = execution_id AND e.status = 'running')`,
    )
    this.#place = prepare(
      `SELECT workflow_id AS workflowId, concurrency_key AS concurrencyKey, rate_key AS rateKey, since,
         started_at AS startedAt, (SELECT count(*) FROM queue other WHERE other.workflow_id = queue.workflow_id
           AND other.concurrency_key = queue.concurrency_key AND other.state = 'waiting'
           AND (other.priority > queue.priority OR (other.priority = queue.priority AND other.number <= queue.number))) AS position
       FROM queue WHERE execution_id = ? AND state = 'waiting'`,
    )
    this.#waits = prepare(`SELECT 1 FROM queue WHERE execution_id = ? AND state = 'waiting'`)
    this.#count = prepare(
      `SELECT count(*) AS count FROM (SELECT 1 FROM queue WHERE state = 'waiting' LIMIT ?)`,
    )
  }

  /** `waits`: why the execution gets no place now. */
  change(id: string, change: QueueChange): { readonly waits?: WaitReason; readonly jobs: ScheduledJob[] } {
    if ('enter' in change) return this.#onEnter(id, change.enter)
    return { jobs: this.#onLeave(id, change.leave) }
  }

  configure(limits: readonly QueueLimits[], now: number): ScheduledJob[] {
    this.#dropStale.run()
    for (const { workflowId, concurrency, rate } of limits)
      this.#putLimits.run(workflowId, concurrency, rate?.limit ?? null, rate?.perMs ?? null)
    const limited = new Set(limits.map(({ workflowId }) => workflowId))
    const known = (this.#limited.all() as { id: string }[]).map(({ id }) => id)
    return known.flatMap((id) => {
      if (limited.has(id)) return this.admit(id, now)
      const jobs = (this.#waitingOf.all(id) as PlaceRow[]).map((row) => goOn(row.id))
      this.#dropLimits.run(id)
      this.#dropRows.run(id)
      return jobs
    })
  }

  /** Gives the free places of a workflow, or of one of its keys. */
  admit(workflowId: string, now: number, concurrencyKey: string | null = null): ScheduledJob[] {
    const limits = this.#limitsOf(workflowId)
    if (limits.perMs !== null) this.#prune.run(workflowId, now - limits.perMs)
    const statement = concurrencyKey === null ? this.#next : this.#nextOfKey
    const full = { concurrency: [] as string[], rate: [] as string[] }
    const jobs: ScheduledJob[] = []
    for (;;) {
      const row = statement.get(
        workflowId,
        concurrencyKey,
        JSON.stringify(full.concurrency),
        JSON.stringify(full.rate),
      ) as PlaceRow | undefined
      if (!row) return jobs
      const freeAt =
        row.startedAt === null ? this.#rateFreeAt(workflowId, { limits, now, ...row }) : undefined
      if (this.#isFull(workflowId, limits, row.concurrencyKey)) full.concurrency.push(row.concurrencyKey)
      else if (freeAt !== undefined) {
        full.rate.push(row.rateKey)
        jobs.push(admitAt(workflowId, freeAt))
      } else {
        this.#begin.run(now, row.id)
        jobs.push(goOn(row.id))
      }
      // the only key is full
      if (full.concurrency.length > 0 && (concurrencyKey !== null || row.concurrencyKey === '')) return jobs
    }
  }

  waiting(id: string): QueuePosition | undefined {
    const row = this.#place.get(id) as
      | (Omit<PlaceRow, 'id'> & { workflowId: string; since: number; position: number })
      | undefined
    if (!row) return undefined
    const isFull = this.#isFull(row.workflowId, this.#limitsOf(row.workflowId), row.concurrencyKey)
    return { reason: isFull ? 'concurrency' : 'rate', since: row.since, position: row.position }
  }

  count(max: number): number {
    return (this.#count.get(max) as { count: number }).count
  }

  #onEnter(id: string, entry: QueueEntry): { waits?: WaitReason; jobs: ScheduledJob[] } {
    const { limits, concurrencyKey, rateKey, priority, since, starts } = entry
    const { workflowId, concurrency, rate } = limits
    this.#keepLimits.run(workflowId, concurrency, rate?.limit ?? null, rate?.perMs ?? null)
    this.#enter.run(id, workflowId, concurrencyKey, rateKey, priority, since, starts ? null : 0)
    const current = this.#limitsOf(workflowId)
    if (this.#isFull(workflowId, current, concurrencyKey)) return { waits: 'concurrency', jobs: [] }
    const freeAt = starts ? this.#rateFreeAt(workflowId, { limits: current, now: since, rateKey }) : undefined
    if (freeAt !== undefined) return { waits: 'rate', jobs: [admitAt(workflowId, freeAt)] }
    // time has freed a place for one that waits
    const { behind } = this.#isBehind.get(workflowId, concurrencyKey, rateKey, priority, id) as {
      behind: number
    }
    if (behind === 1) {
      const jobs = this.admit(workflowId, since)
      return this.#waits.get(id)
        ? { waits: 'rate', jobs }
        : { jobs: jobs.filter(({ key }) => key !== keyOf(id)) }
    }
    this.#begin.run(since, id)
    return { jobs: [] }
  }

  #onLeave(id: string, now: number): ScheduledJob[] {
    const place = this.#free.get(id) as { workflowId: string; concurrencyKey: string } | undefined
    if (!place) return []
    const { perMs } = this.#limitsOf(place.workflowId)
    if (perMs === null) this.#delete.run(id)
    else this.#end.run(id)
    return this.admit(place.workflowId, now, place.concurrencyKey)
  }

  #limitsOf(workflowId: string): LimitsRow {
    return (
      (this.#limits.get(workflowId) as LimitsRow | undefined) ?? {
        concurrency: null,
        rate: null,
        perMs: null,
      }
    )
  }

  #isFull(workflowId: string, { concurrency }: LimitsRow, key: string): boolean {
    if (concurrency === null) return false
    return (this.#running.get(workflowId, key) as { count: number }).count >= concurrency
  }

  /** When the rate allows the next start; `undefined`: now. */
  #rateFreeAt(
    workflowId: string,
    { limits, now, rateKey }: { limits: LimitsRow; now: number; rateKey: string },
  ): number | undefined {
    const { rate, perMs } = limits
    if (rate === null || perMs === null) return undefined
    const row = this.#windowEnd.get(workflowId, rateKey, now - perMs, rate - 1) as { at: number } | undefined
    return row && row.at + perMs
  }
}

function keyOf(id: string): string {
  return `go-on:${id}:${NOBODY}`
}

function goOn(id: string): ScheduledJob {
  return { key: keyOf(id), job: { kind: 'go-on', id, from: NOBODY } }
}

function admitAt(workflowId: string, at: number): ScheduledJob {
  return { key: `admit:${workflowId}:${at}`, at, job: { kind: 'admit', workflowId } }
}
