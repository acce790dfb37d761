import type { JobChange } from '../dispatcher.ts'
import type { ScheduleRow, ScheduleStore } from '../schedule-store.ts'
import { tx } from './sql.ts'
import type { Sql } from './sql.ts'

/** In the order in which rows are written. */
const SCHEDULE_COLUMNS = [
  'id',
  'revision',
  'rule',
  'paused',
  'next_at',
  'waiting',
  'tick_at',
  'last_execution_id',
  'last_at',
]

const SELECT = `SELECT id, revision, rule, paused, next_at AS "nextAt", waiting, tick_at AS "tickAt",
  last_execution_id AS "lastExecutionId", last_at AS "lastAt" FROM schedules`
const GET = `${SELECT} WHERE id = ?`
const LIST = `${SELECT} ORDER BY id`
const INSERT = `INSERT INTO schedules (${SCHEDULE_COLUMNS.join(', ')}) VALUES (${SCHEDULE_COLUMNS.map(() => '?').join(', ')})
  ON CONFLICT (id) DO NOTHING`
const UPDATE = `UPDATE schedules SET ${SCHEDULE_COLUMNS.map((column) => `${column} = ?`).join(', ')}
  WHERE id = ? AND revision = ?`
const DELETE = 'DELETE FROM schedules WHERE id = ?'

/** A row as it is stored. */
interface StoredSchedule extends Omit<ScheduleRow, 'paused' | 'waiting'> {
  readonly paused: number
  /** JSON array */
  readonly waiting: string
}

/** The state of schedules. */
export class SqlSchedules implements ScheduleStore {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  async get(id: string): Promise<ScheduleRow | undefined> {
    const stored = await this.#sql.first<StoredSchedule>(GET, [id])
    return stored && scheduleOf(stored)
  }

  async list(): Promise<ScheduleRow[]> {
    return (await this.#sql.all<StoredSchedule>(LIST)).map((stored) => scheduleOf(stored))
  }

  save(row: ScheduleRow, jobs: JobChange = {}): Promise<boolean> {
    const { id, revision } = row
    const values = valuesOf(row)
    return this.#sql.transaction(function* () {
      const saved =
        revision === 1 ? yield* tx.run(INSERT, values) : yield* tx.run(UPDATE, [...values, id, revision - 1])
      if (saved > 0) yield* tx.jobs(jobs)
      return saved > 0
    })
  }

  delete(id: string, jobs: JobChange): Promise<void> {
    return this.#sql.transaction(function* () {
      yield* tx.run(DELETE, [id])
      yield* tx.jobs(jobs)
    })
  }
}

/** In the order of the columns. */
function valuesOf(row: ScheduleRow): (string | number | null)[] {
  const { id, revision, rule, paused, nextAt, waiting, tickAt, lastExecutionId, lastAt } = row
  const times = JSON.stringify(waiting)
  return [id, revision, rule, Number(paused), nextAt, times, tickAt, lastExecutionId, lastAt]
}

function scheduleOf(stored: StoredSchedule): ScheduleRow {
  return { ...stored, paused: stored.paused === 1, waiting: JSON.parse(stored.waiting) as number[] }
}
