import type { ScheduledJob } from '../../dispatcher.ts'
import type { QueueChange, QueueEntry } from '../../execution-store.ts'
import { NOBODY, STARTED } from '../../queue-store.ts'
import type { QueueLimits, QueuePosition, QueueState, QueueStore, WaitReason } from '../../queue-store.ts'
import type { JobTable } from '../dispatch/job-table.ts'
import type { Database, Statement } from '../driver.ts'
import { inTransaction } from '../transaction.ts'
import { queueStatements } from './statements.ts'
import type { LimitsRow, SlotRow, QueueStatements } from './statements.ts'

/** The slots of workflows with limits. Changes are made in a transaction of the caller, who stores the returned jobs with them. */
export class Queue {
  readonly #sql: QueueStatements

  constructor(database: Database) {
    this.#sql = queueStatements(database)
  }

  /** Whether too many executions wait already for this one to wait, too. */
  refuses({ limits, rateKey, concurrencyKey, since, maxWaiting }: QueueEntry): boolean {
    if (maxWaiting === undefined || this.#waitingCount() < maxWaiting) return false
    const { workflowId } = limits
    const current = this.#limitsOf(workflowId)
    return (
      this.#isFull(workflowId, current, concurrencyKey) ||
      this.#freeAt(workflowId, { limits: current, now: since, rateKey }) !== undefined
    )
  }

  /** `waits`: why the execution gets no slot now. */
  change(id: string, change: QueueChange): { readonly waits?: WaitReason; readonly jobs: ScheduledJob[] } {
    if ('enter' in change) return this.#enter(id, change.enter)
    if ('begin' in change) this.#sql.restamp.run(change.begin, id)
    else return { jobs: this.#leave(id, change) }
    return { jobs: [] }
  }

  configure(limits: readonly QueueLimits[], now: number): ScheduledJob[] {
    this.#sql.dropStale.run()
    for (const { workflowId, concurrency, rate } of limits)
      this.#sql.putLimits.run(workflowId, concurrency, rate?.limit ?? null, rate?.perMs ?? null)
    this.#sql.recount.run()
    const limited = new Set(limits.map(({ workflowId }) => workflowId))
    const known = (this.#sql.limited.all() as { id: string }[]).map(({ id }) => id)
    return known.flatMap((id) => (limited.has(id) ? this.admit(id, now) : this.#dismiss(id)))
  }

  /** Gives the free slots of a workflow, or of one key of its concurrency. */
  admit(workflowId: string, now: number, key?: string): ScheduledJob[] {
    const limits = this.#limitsOf(workflowId)
    // of a clock that was ahead
    if (limits.perMs !== null) this.#sql.amend.run(now, workflowId, now + limits.perMs)
    const jobs: ScheduledJob[] = []
    let heads = this.#heads(workflowId, limits, key)
    let nextAt = Infinity
    for (;;) {
      const head = first(heads)
      if (!head) break
      const { concurrencyKey, rateKey } = head
      const freeAt = this.#freeAt(workflowId, { limits, now, rateKey })
      if (freeAt !== undefined) {
        nextAt = Math.min(nextAt, freeAt)
        heads = heads.filter((other) => other.rateKey !== rateKey)
        continue
      }
      this.#begin(workflowId, head, now)
      jobs.push(continueJob(head.id))
      const rest = heads.filter((other) => other !== head)
      if (this.#isFull(workflowId, limits, concurrencyKey))
        heads = rest.filter((other) => other.concurrencyKey !== concurrencyKey)
      else heads = [...rest, ...this.#head(workflowId, concurrencyKey, rateKey)]
    }
    return nextAt === Infinity ? jobs : [...jobs, admitAt(workflowId, nextAt)]
  }

  /** What executions wait for, by id. */
  waiting(ids: readonly string[]): Map<string, QueuePosition> {
    const found = ids.flatMap((id) => this.#sql.slot.all(id) as SlotRow[])
    const rows = found.toSorted((a, b) => a.rank - b.rank || a.number - b.number)
    const last = new Map<
      string,
      { readonly rank: number; readonly number: number; readonly position: number }
    >()
    const positions = new Map<string, QueuePosition>()
    for (const { id, workflowId, since, rank, number, ...row } of rows) {
      const isFull = this.#isFull(workflowId, this.#limitsOf(workflowId), row.concurrencyKey)
      const key = isFull ? row.concurrencyKey : row.rateKey
      const group = JSON.stringify([workflowId, isFull, key])
      // the one before it was counted already
      const before = last.get(group) ?? { rank: -Number.MAX_VALUE, number: 0, position: 0 }
      const reason = isFull ? 'concurrency' : 'rate'
      const position = before.position + this.#count([workflowId, key], reason, { before, rank, number })
      last.set(group, { rank, number, position })
      positions.set(id, { reason, since, position })
    }
    return positions
  }

  list(limit: number): QueueState[] {
    const rows = this.#sql.all.all() as (LimitsRow & {
      workflowId: string
      running: number
      waiting: number
    })[]
    return rows.map(({ rate, perMs, ...row }) => ({
      ...row,
      rate: rate === null || perMs === null ? null : { limit: rate, perMs },
      first: (this.#sql.first.all(row.workflowId, limit) as SlotRow[]).map(
        ({ id, concurrencyKey, rateKey }) => ({ id, concurrencyKey, rateKey }),
      ),
    }))
  }

  /** How many wait for a limit after a slot in the order, up to another. */
  #count(key: readonly [string, string], reason: WaitReason, { before, rank, number }: Range): number {
    const { atRank, between } = this.#sql.counts[reason]
    const count = (statement: Statement, ...range: number[]) =>
      (statement.get(...key, ...range) as { count: number }).count
    if (before.rank === rank) return count(atRank, rank, before.number, number)
    return (
      count(atRank, before.rank, before.number, Number.MAX_SAFE_INTEGER) +
      count(between, before.rank, rank) +
      count(atRank, rank, 0, number)
    )
  }

  #waitingCount(): number {
    return (this.#sql.waitingCount.get() as { count: number }).count
  }

  #enter(id: string, entry: QueueEntry): { waits?: WaitReason; jobs: ScheduledJob[] } {
    const { limits, concurrencyKey, priority, since, starts } = entry
    const { workflowId, concurrency, rate } = limits
    this.#sql.keepLimits.run(workflowId, concurrency, rate?.limit ?? null, rate?.perMs ?? null)
    const current = this.#limitsOf(workflowId)
    const rateKey = starts ? entry.rateKey : STARTED
    const isFull = this.#isFull(workflowId, current, concurrencyKey)
    const freeAt = isFull ? undefined : this.#freeAt(workflowId, { limits: current, now: since, rateKey })
    this.#sql.enter.run(id, workflowId, concurrencyKey, rateKey, -priority, since)
    this.#sql.addWaiting.run(1, workflowId)
    if (isFull) return { waits: 'concurrency', jobs: [] }
    if (freeAt !== undefined) return { waits: 'rate', jobs: [admitAt(workflowId, freeAt)] }
    if (current.rate === null || !this.#isBehind(id, { workflowId, concurrencyKey, rateKey })) {
      this.#begin(workflowId, { id, rateKey }, since)
      return { jobs: [] }
    }
    // time has freed slots for others that wait
    const jobs = this.admit(workflowId, since)
    const waits = this.waiting([id]).get(id)?.reason
    return { ...(waits && { waits }), jobs: jobs.filter(({ key }) => key !== keyOf(id)) }
  }

  /** Whether others wait that may be first. */
  #isBehind(id: string, row: Pick<SlotRow, 'workflowId' | 'concurrencyKey' | 'rateKey'>): boolean {
    const { workflowId, concurrencyKey, rateKey } = row
    return (
      this.#sql.otherOfRate.get(workflowId, rateKey, id) !== undefined ||
      this.#sql.otherOfConcurrency.get(workflowId, concurrencyKey, id) !== undefined
    )
  }

  #begin(workflowId: string, { id, rateKey }: Pick<SlotRow, 'id' | 'rateKey'>, now: number): void {
    this.#sql.begin.run(id)
    this.#sql.addWaiting.run(-1, workflowId)
    const { perMs } = this.#limitsOf(workflowId)
    if (rateKey === STARTED || perMs === null) return
    this.#sql.prune.run(workflowId, now - perMs)
    this.#sql.addStart.run(id, workflowId, rateKey, now)
  }

  #leave(id: string, { leave: now, isFinal }: Extract<QueueChange, { leave: number }>): ScheduledJob[] {
    const [row] = this.#sql.row.all(id) as (Omit<SlotRow, 'id'> & { readonly state: string })[]
    if (!row) return []
    const { workflowId, state, concurrencyKey } = row
    if (isFinal) this.#sql.drop.run(id)
    else this.#sql.suspend.run(id)
    if (state === 'waiting') this.#sql.addWaiting.run(-1, workflowId)
    const { concurrency } = this.#limitsOf(workflowId)
    return state === 'running' && concurrency !== null ? this.admit(workflowId, now, concurrencyKey) : []
  }

  /** The workflow has no limits any more. */
  #dismiss(workflowId: string): ScheduledJob[] {
    const jobs = (this.#sql.waitingOf.all(workflowId) as { id: string }[]).map(({ id }) => continueJob(id))
    for (const statement of this.#sql.dismiss) statement.run(workflowId)
    return jobs
  }

  /** The first of those that wait, of each pair of keys that has a slot. */
  #heads(workflowId: string, limits: LimitsRow, key?: string): SlotRow[] {
    const heads: SlotRow[] = []
    let next = this.#sql.groupFrom.all(workflowId, key ?? '') as SlotRow[]
    for (;;) {
      const [group] = next
      if (!group || (key !== undefined && group.concurrencyKey !== key)) return heads
      const { concurrencyKey, rateKey } = group
      const isFull = this.#isFull(workflowId, limits, concurrencyKey)
      if (!isFull) heads.push(...this.#head(workflowId, concurrencyKey, rateKey))
      const sameKey = isFull ? [] : this.#sql.groupAfter.all(workflowId, concurrencyKey, rateKey)
      next = (
        sameKey.length > 0 ? sameKey : this.#sql.groupAfterKey.all(workflowId, concurrencyKey)
      ) as SlotRow[]
    }
  }

  #head(workflowId: string, concurrencyKey: string, rateKey: string): SlotRow[] {
    return this.#sql.head.all(workflowId, concurrencyKey, rateKey) as SlotRow[]
  }

  #limitsOf(workflowId: string): LimitsRow {
    const [limits] = this.#sql.limits.all(workflowId) as LimitsRow[]
    return limits ?? { concurrency: null, rate: null, perMs: null }
  }

  #isFull(workflowId: string, { concurrency }: LimitsRow, key: string): boolean {
    if (concurrency === null) return false
    return (this.#sql.running.get(workflowId, key) as { count: number }).count >= concurrency
  }

  /** When the rate allows the next start; `undefined`: now. */
  #freeAt(
    workflowId: string,
    { limits, now, rateKey }: { limits: LimitsRow; now: number; rateKey: string },
  ): number | undefined {
    const { rate, perMs } = limits
    if (rate === null || perMs === null || rateKey === STARTED) return undefined
    const [row] = this.#sql.start.all(workflowId, rateKey, now - perMs, rate - 1) as { at: number }[]
    return row && row.at + perMs
  }
}

interface Range {
  readonly before: { readonly rank: number; readonly number: number }
  readonly rank: number
  readonly number: number
}

function first(heads: readonly SlotRow[]): SlotRow | undefined {
  let found: SlotRow | undefined
  for (const head of heads)
    if (!found || head.rank < found.rank || (head.rank === found.rank && head.number < found.number))
      found = head
  return found
}

function keyOf(id: string): string {
  return `continue:${id}:${NOBODY}`
}

function continueJob(id: string): ScheduledJob {
  return { key: keyOf(id), job: { kind: 'continue', id, from: NOBODY } }
}

function admitAt(workflowId: string, at: number): ScheduledJob {
  return { key: `admit:${workflowId}:${at}`, at, job: { kind: 'admit', workflowId } }
}

/** The changes of a queue that are made in transactions of their own. */
export function sqliteQueue(database: Database, queue: Queue, jobs: JobTable): QueueStore {
  const change = (work: () => readonly ScheduledJob[]) => {
    try {
      inTransaction(database, () => jobs.change({ add: work() }))
    } catch (error) {
      jobs.discard()
      throw error
    }
    jobs.committed()
  }
  return {
    configure: async (limits, now) => change(() => queue.configure(limits, now)),
    admit: async (workflowId, now) => change(() => queue.admit(workflowId, now)),
    waiting: async (ids) => queue.waiting(ids),
    list: async (limit) => queue.list(limit),
  }
}
