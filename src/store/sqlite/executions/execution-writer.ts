import { isWorkflowLevel } from '../../execution-store.ts'
import type { Applied, EventRow, ExecutionWrite, QueueChange, StepChange } from '../../execution-store.ts'
import type { ExecutionStatus } from '../../../contract/status.ts'
import { jsonArray } from '../../rows/json-array.ts'
import type { JobTable } from '../dispatch/job-table.ts'
import type { Queue } from '../queue/queue.ts'
import { HourTally, StepTally } from '../counts.ts'
import type { HourColumn } from '../counts.ts'
import type { Database, SqlValue, Statement } from '../driver.ts'
import { CHANGE_COLUMNS, EXECUTION_COLUMNS } from '../../rows/executions/execution-columns.ts'
import { foldSteps, journalTexts } from '../../rows/executions/journal-row.ts'
import { StatementCache } from '../statement-cache.ts'
import { SQLITE } from '../../sql/dialect.ts'
import { rollBack } from '../transaction.ts'
import type { WaitChange } from '../../event-store.ts'

const ENDS: Partial<Record<ExecutionStatus, HourColumn>> = {
  completed: 'completed',
  error: 'errors',
  cancelled: 'cancelled',
}

const INSERTED = EXECUTION_COLUMNS.map(([, key]) => key)

const NUMBER_OF_ID = '(SELECT number FROM executions WHERE id = ?)'

type Update = NonNullable<ExecutionWrite['update']>
type ChangeKey = keyof typeof CHANGE_COLUMNS

/** Optional conditions of an update, in the order of their parameters. */
const FENCES = {
  ownerEpoch: 'owner_epoch = ?',
  lastSequence: 'coalesce((SELECT max(seq) FROM journal WHERE execution = executions.number), 0) = ?',
} as const

const FENCE_KEYS = ['ownerEpoch', 'lastSequence'] as const

/** Writes of executions. */
export class ExecutionWriter {
  readonly #database: Database
  readonly #begin: Statement
  readonly #commit: Statement
  readonly #insertExecution: Statement
  readonly #insertPayload: Statement
  /** The change of most step boundaries. */
  readonly #touch: Statement
  readonly #steps: Statement
  readonly #lastSequence: Statement
  readonly #insertEntry: Statement
  readonly #amendEntry: Statement
  readonly #tally: HourTally
  readonly #stepTally: StepTally
  /** Statements by changed columns and conditions; there are few combinations. */
  readonly #conditional: StatementCache
  /** The number of the newest milestone. */
  #milestone: number
  readonly #jobs: JobTable
  readonly #queue: Queue
  /** Executions of the current write that wait for a slot. */
  #queued: string[] = []
  readonly #waits: WaitTable

  constructor(database: Database, jobs: JobTable, queue: Queue) {
    const prepare = (sql: string) => database.prepare(sql)
    const columns = EXECUTION_COLUMNS.map(([column]) => column)
    this.#database = database
    this.#jobs = jobs
    this.#queue = queue
    this.#waits = new WaitTable(database)
    this.#begin = prepare('BEGIN IMMEDIATE')
    this.#commit = prepare('COMMIT')
    this.#insertExecution = prepare(
      `INSERT INTO executions (${columns.join(', ')}) VALUES (${marks(columns.length)}) ON CONFLICT (id) DO NOTHING`,
    )
    this.#insertPayload = prepare(`INSERT INTO payloads VALUES (${NUMBER_OF_ID}, ?, ?, ?)`)
    this.#touch = prepare(
      'UPDATE executions SET updated_at = ? WHERE id = ? AND status = ? AND owner_epoch = ?',
    )
    this.#steps = prepare(`SELECT steps FROM journal WHERE execution = ${NUMBER_OF_ID} ORDER BY seq`)
    this.#lastSequence = prepare(
      `SELECT coalesce(max(seq), 0) AS seq FROM journal WHERE execution = ${NUMBER_OF_ID}`,
    )
    this.#insertEntry = prepare(
      `INSERT INTO journal (execution, seq, steps, events, milestone) VALUES (${NUMBER_OF_ID}, ?, ?, ?, ?)`,
    )
    this.#amendEntry = prepare(
      `INSERT INTO journal (execution, seq, steps, events)
         SELECT number, coalesce((SELECT max(seq) FROM journal WHERE execution = executions.number), 0), ?2, '[]'
         FROM executions WHERE id = ?1
       ON CONFLICT (execution, seq) DO UPDATE SET steps = iif(steps = '[]', excluded.steps,
         substr(steps, 1, length(steps) - 1) || ',' || substr(excluded.steps, 2))`,
    )
    this.#conditional = new StatementCache(database)
    this.#tally = new HourTally(database)
    this.#stepTally = new StepTally(database)
    const newest = prepare(`SELECT ${SQLITE.newestMilestone} AS number`).all() as [{ number: number }]
    this.#milestone = newest[0].number
  }

  write(writes: readonly ExecutionWrite[]): Applied[] {
    const milestone = this.#milestone
    this.#begin.run()
    try {
      const applied = writes.map((write) => this.#applyUnit(write))
      this.#tally.store()
      this.#stepTally.store()
      this.#commit.run()
      this.#jobs.committed()
      return applied
    } catch (error) {
      this.#milestone = milestone
      this.#tally.discard()
      this.#stepTally.discard()
      this.#jobs.discard()
      this.#queued = []
      rollBack(this.#database)
      throw error
    }
  }

  #applyUnit(write: ExecutionWrite): Applied {
    const { queue } = write
    if (queue && 'enter' in queue && this.#queue.refuses(queue.enter)) return 'full'
    const applied = this.#apply(write)
    if (this.#queued.length === 0) return applied
    const queued = this.#queued
    this.#queued = []
    return { queued }
  }

  #apply(write: ExecutionWrite): boolean {
    const {
      id,
      insert,
      update,
      cancelStepsAt,
      steps = [],
      events = [],
      together = [],
      jobs,
      queue,
      waits,
    } = write
    if (!together.every((other) => this.#isApplicable(other))) return false
    if (insert !== undefined) {
      if (!hasChanges(this.#insertExecution.run(...INSERTED.map((key) => insert[key])))) return false
      this.#insertPayload.run(id, insert.input, insert.context, insert.user)
    }
    if (update !== undefined && !this.#update(id, update)) return false
    this.#count(write)
    const open = cancelStepsAt === undefined ? [] : this.#cancellations(write, cancelStepsAt)
    const numbered = write.appends === true ? this.#appended(id, events) : events
    const isMilestone = write.milestone ?? numbered.some((event) => isWorkflowLevel(event))
    this.#journal(write, { steps: [...steps, ...open], events: numbered, isMilestone })
    if (jobs !== undefined) this.#jobs.change(jobs)
    if (queue !== undefined) this.#changeQueue(id, queue)
    if (waits !== undefined) this.#waits.change(id, waits)
    for (const other of together) this.#apply(other)
    return true
  }

  #changeQueue(id: string, change: QueueChange): void {
    const { waits, jobs } = this.#queue.change(id, change)
    if (jobs.length > 0) this.#jobs.change({ add: jobs })
    if (!waits || !('enter' in change)) return
    this.#queued.push(id)
    this.#apply(change.enter.whenFull(waits))
  }

  #isApplicable({ id, insert, update, together = [] }: ExecutionWrite): boolean {
    if (insert && this.#exists({ sql: 'id = ?', values: [id] })) return false
    if (update && !this.#exists(conditionOf(id, update))) return false
    return together.every((other) => this.#isApplicable(other))
  }

  #exists({ sql, values }: Condition): boolean {
    return this.#conditional.get(`SELECT 1 FROM executions WHERE ${sql}`).all(...values).length > 0
  }

  #count({ insert, update, stepTimes = [], uncounted }: ExecutionWrite): void {
    if (uncounted) return
    for (const time of stepTimes) this.#stepTally.count(time)
    if (insert !== undefined) this.#tally.count(insert.createdAt, 'started')
    const { status, endedAt } = update?.set ?? insert ?? {}
    const end = status && ENDS[status]
    if (end !== undefined && typeof endedAt === 'number') this.#tally.count(endedAt, end)
  }

  #appended(id: string, events: readonly EventRow[]): EventRow[] {
    const { seq: last } = this.#lastSequence.get(id) as { seq: number }
    return events.map((event) => ({ ...event, seq: last + event.seq }))
  }

  #journal(write: ExecutionWrite, { steps, events, isMilestone }: Entry): void {
    const { id } = write
    const last = events.at(-1)
    if (last) {
      const milestone = isMilestone ? ++this.#milestone : null
      const texts = journalTexts(steps, events, write)
      this.#insertEntry.run(id, last.seq, texts.steps, texts.events, milestone)
    } else if (steps.length > 0) {
      this.#amendEntry.run(id, JSON.stringify(steps))
    }
  }

  /** Changes that cancel the steps which are open after the changes of the write. */
  #cancellations({ id, steps = [] }: ExecutionWrite, at: number): StepChange[] {
    const stored = (this.#steps.all(id) as { steps: string }[]).map((row) => row.steps)
    return foldSteps(jsonArray([...stored, JSON.stringify(steps)]))
      .filter(({ status }) => status === 'running' || status === 'suspended')
      .map(({ path }) => ({ path, status: 'cancelled', endedAt: at }))
  }

  #update(id: string, update: Update): boolean {
    const { set, from, ownerEpoch, lastSequence } = update
    const keys = Object.keys(set) as ChangeKey[]
    if (keys.length === 1 && ownerEpoch !== undefined && lastSequence === undefined)
      return hasChanges(this.#touch.run(set.updatedAt, id, from, ownerEpoch))
    const { sql, values } = conditionOf(id, update)
    const assignments = keys.map((key) => `${CHANGE_COLUMNS[key]} = ?`).join(', ')
    const statement = this.#conditional.get(`UPDATE executions SET ${assignments} WHERE ${sql}`)
    return hasChanges(statement.run(...keys.map((key) => set[key] ?? null), ...values))
  }
}

interface Entry {
  readonly steps: readonly StepChange[]
  readonly events: readonly EventRow[]
  readonly isMilestone: boolean
}

interface Condition {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

function conditionOf(id: string, { from, ownerEpoch, lastSequence }: Update): Condition {
  const fences = { ownerEpoch, lastSequence }
  const fenced = FENCE_KEYS.filter((key) => fences[key] !== undefined)
  return {
    sql: ['id = ?', 'status = ?', ...fenced.map((key) => FENCES[key])].join(' AND '),
    values: [id, from, ...fenced.map((key) => fences[key] ?? null)],
  }
}

function marks(count: number): string {
  return Array.from({ length: count }, () => '?').join(', ')
}

function hasChanges(result: { readonly changes: number | bigint }): boolean {
  return Number(result.changes) > 0
}

/** The steps that wait for events. Changes are made in a transaction of the caller. */
class WaitTable {
  readonly #put: Statement
  readonly #drop: Statement
  readonly #take: Statement

  constructor(database: Database) {
    this.#put = database.prepare(
      'INSERT OR REPLACE INTO waits (execution_id, path, name, key, since) VALUES (?, ?, ?, ?, ?)',
    )
    this.#drop = database.prepare('DELETE FROM waits WHERE execution_id = ? AND path = ?')
    this.#take = database.prepare(
      'INSERT OR IGNORE INTO event_takes (event_id, execution_id) SELECT id, ? FROM events WHERE id = ?',
    )
  }

  change(executionId: string, { add, drop, take }: WaitChange): void {
    for (const path of drop) this.#drop.run(executionId, path)
    for (const id of take) this.#take.run(executionId, id)
    for (const { path, name, key, since } of add) this.#put.run(executionId, path, name, key, since)
  }
}
