import {
  SCHEDULE_COLUMNS,
  SELECTED_SCHEDULE,
  scheduleOfColumns,
  scheduleValues,
} from '../rows/schedule-columns.ts'
import type { StoredSchedule } from '../rows/schedule-columns.ts'
import type { JobChange } from '../dispatcher.ts'
import type { ScheduleRow, ScheduleStore } from '../schedule-store.ts'
import type { JobTable } from './dispatch/job-table.ts'
import type { Database, Statement } from './driver.ts'
import { inTransaction } from './transaction.ts'

/** The state of schedules in SQLite. */
export class ScheduleTable implements ScheduleStore {
  readonly #database: Database
  readonly #jobs: JobTable
  readonly #get: Statement
  readonly #list: Statement
  readonly #insert: Statement
  readonly #update: Statement
  readonly #delete: Statement

  constructor(database: Database, jobs: JobTable) {
    const prepare = (sql: string) => database.prepare(sql)
    this.#database = database
    this.#jobs = jobs
    this.#get = prepare(`SELECT ${SELECTED_SCHEDULE} FROM schedules WHERE id = ?`)
    this.#list = prepare(`SELECT ${SELECTED_SCHEDULE} FROM schedules ORDER BY id`)
    const marks = SCHEDULE_COLUMNS.map(() => '?').join(', ')
    this.#insert = prepare(
      `INSERT INTO schedules (${SCHEDULE_COLUMNS.join(', ')}) VALUES (${marks}) ON CONFLICT (id) DO NOTHING`,
    )
    const set = SCHEDULE_COLUMNS.map((column, index) => `${column} = ?${index + 1}`).join(', ')
    this.#update = prepare(`UPDATE schedules SET ${set} WHERE id = ?1 AND revision = ?2 - 1`)
    this.#delete = prepare('DELETE FROM schedules WHERE id = ?')
  }

  async get(id: string): Promise<ScheduleRow | undefined> {
    const [stored] = this.#get.all(id) as StoredSchedule[]
    return stored && scheduleOfColumns(stored)
  }

  async list(): Promise<ScheduleRow[]> {
    return (this.#list.all() as StoredSchedule[]).map(scheduleOfColumns)
  }

  async save(row: ScheduleRow, jobs: JobChange = {}): Promise<boolean> {
    const statement = row.revision === 1 ? this.#insert : this.#update
    return this.#change(() => Number(statement.run(...scheduleValues(row)).changes) > 0, jobs)
  }

  async delete(id: string, jobs: JobChange): Promise<void> {
    this.#change(() => Boolean(this.#delete.run(id)), jobs)
  }

  /** Changes a row, and the jobs if that returns true. */
  #change(change: () => boolean, jobs: JobChange): boolean {
    try {
      const changed = inTransaction(this.#database, () => {
        const isChanged = change()
        if (isChanged) this.#jobs.change(jobs)
        return isChanged
      })
      this.#jobs.committed()
      return changed
    } catch (error) {
      this.#jobs.discard()
      throw error
    }
  }
}
