import {
  SCHEDULE_COLUMNS,
  SELECTED_SCHEDULE,
  scheduleOfColumns,
  scheduleValues,
} from '../../rows/schedule-columns.ts'
import type { StoredSchedule } from '../../rows/schedule-columns.ts'
import type { JobChange } from '../../dispatcher.ts'
import type { ScheduleRow, ScheduleStore } from '../../schedule-store.ts'
import type { Databases, PostgresQueries } from '../connection/database.ts'
import type { JobWriter } from '../executions/job-writer.ts'

const MARKS = SCHEDULE_COLUMNS.map((_, index) => `$${index + 1}`)
const INSERT = `INSERT INTO schedules (${SCHEDULE_COLUMNS.join(', ')}) VALUES (${MARKS.join(', ')}) ON CONFLICT (id) DO NOTHING`
const UPDATE = `UPDATE schedules SET ${SCHEDULE_COLUMNS.map((column, index) => `${column} = ${MARKS[index]}`).join(', ')}
  WHERE id = $1 AND revision = $2 - 1`

export interface PostgresSchedulesDeps {
  readonly databases: Pick<Databases, 'writes' | 'reads'>
  readonly jobs: JobWriter
}

/** The state of schedules in Postgres. */
export class PostgresSchedules implements ScheduleStore {
  readonly #deps: PostgresSchedulesDeps

  constructor(deps: PostgresSchedulesDeps) {
    this.#deps = deps
  }

  async get(id: string): Promise<ScheduleRow | undefined> {
    const rows = await this.#deps.databases.reads.rows<StoredSchedule>({
      name: 'schedule',
      text: `SELECT ${SELECTED_SCHEDULE} FROM schedules WHERE id = $1`,
      values: [id],
    })
    return rows.map(scheduleOfColumns)[0]
  }

  async list(): Promise<ScheduleRow[]> {
    const text = `SELECT ${SELECTED_SCHEDULE} FROM schedules ORDER BY id`
    return (await this.#deps.databases.reads.rows<StoredSchedule>({ text })).map(scheduleOfColumns)
  }

  save(row: ScheduleRow, jobs: JobChange = {}): Promise<boolean> {
    return this.#deps.databases.writes.transaction(async (tx) => {
      const text = row.revision === 1 ? INSERT : UPDATE
      const isSaved = (await tx.change({ text, values: scheduleValues(row) })) > 0
      if (isSaved) await this.#change(tx, jobs)
      return isSaved
    })
  }

  async delete(id: string, jobs: JobChange): Promise<void> {
    await this.#deps.databases.writes.transaction(async (tx) => {
      await tx.change({ text: 'DELETE FROM schedules WHERE id = $1', values: [id] })
      await this.#change(tx, jobs)
    })
  }

  async #change(tx: PostgresQueries, { add = [], drop = [] }: JobChange): Promise<void> {
    if (drop.length > 0) await this.#deps.jobs.drop(tx, drop)
    if (add.length > 0) await this.#deps.jobs.add(tx, add)
  }
}
