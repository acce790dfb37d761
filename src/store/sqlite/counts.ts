import { DAY_MS, HOUR_MS } from '../../lib/clock.ts'
import { HOUR_COLUMNS } from '../rows/hour-columns.ts'
import { additions, CALL_COLUMNS, PLACE_COLUMNS } from '../rows/call-columns.ts'
import type { ModelCalls, StepTime } from '../usage-store.ts'
import type { Database, Statement } from './driver.ts'

export type HourColumn = (typeof HOUR_COLUMNS)[number][1]

type HourSums = Record<HourColumn, number | null>

const NOTHING = Object.fromEntries(HOUR_COLUMNS.map(([, key]) => [key, 0])) as HourSums

/** Sums the counts of a transaction, so that the row of an hour is written once. */
export class HourTally {
  readonly #add: Statement
  readonly #hours = new Map<number, HourSums>()

  constructor(database: Database) {
    const names = HOUR_COLUMNS.map(([column]) => column)
    const sums = names.map((name) => `${name} = ${name} + excluded.${name}`)
    this.#add = database.prepare(
      `INSERT INTO hours (hour, ${names.join(', ')}) VALUES (?, ${names.map(() => '?').join(', ')})
       ON CONFLICT (hour) DO UPDATE SET ${sums.join(', ')}`,
    )
  }

  /** Adds to a count of the hour of `at`; with null it is unknown. */
  count(at: number, column: HourColumn, by: number | null = 1): void {
    const hour = Math.floor(at / HOUR_MS)
    const row = this.#hours.get(hour) ?? { ...NOTHING }
    const before = row[column]
    row[column] = before === null || by === null ? null : before + by
    this.#hours.set(hour, row)
  }

  /** Writes the counts. Must be called in the transaction. */
  store(): void {
    for (const [hour, row] of this.#hours) this.#add.run(hour, ...HOUR_COLUMNS.map(([, key]) => row[key]))
    this.#hours.clear()
  }

  /** Discards the counts, after a rollback. */
  discard(): void {
    this.#hours.clear()
  }
}

interface StepSums {
  readonly values: readonly [day: number, workflowId: string, step: string, bucket: number]
  completed: number
  errors: number
}

/** Sums the ended steps of a transaction, so that each row is written once. */
export class StepTally {
  readonly #add: Statement
  readonly #sums = new Map<string, StepSums>()

  constructor(database: Database) {
    this.#add = database.prepare(
      `INSERT INTO step_days (day, workflow_id, step, bucket, completed, errors) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (day, workflow_id, step, bucket) DO UPDATE SET
         completed = completed + excluded.completed, errors = errors + excluded.errors`,
    )
  }

  count({ workflowId, step, endedAt, bucket, failed }: StepTime): void {
    const day = Math.floor(endedAt / DAY_MS)
    const key = `${day} ${bucket} ${workflowId} ${step}`
    let sums = this.#sums.get(key)
    if (!sums) {
      sums = { values: [day, workflowId, step, bucket], completed: 0, errors: 0 }
      this.#sums.set(key, sums)
    }
    if (failed) sums.errors++
    else sums.completed++
  }

  /** Writes the sums. Must be called in the transaction. */
  store(): void {
    for (const { values, completed, errors } of this.#sums.values())
      this.#add.run(...values, completed, errors)
    this.#sums.clear()
  }

  /** Discards the sums, after a rollback. */
  discard(): void {
    this.#sums.clear()
  }
}

/** Adds model calls to the sums of their hour and their execution. Must be called in a transaction. */
export class CallCounter {
  readonly #addToHour: Statement
  readonly #addToExecution: Statement

  constructor(database: Database) {
    const sums = CALL_COLUMNS.map(([column]) => column)
    const marks = sums.map(() => '?').join(', ')
    const places = PLACE_COLUMNS.map(([column]) => column).join(', ')
    this.#addToHour = database.prepare(
      `INSERT INTO model_hours (hour, ${places}, ${sums.join(', ')}) VALUES (?, ?, ?, ?, ?, ${marks})
       ON CONFLICT (hour, ${places}) DO UPDATE SET ${additions(sums, 'model_hours')}`,
    )
    this.#addToExecution = database.prepare(
      `INSERT INTO step_models (execution, step, agent_id, model, ${sums.join(', ')})
         SELECT number, ?, ?, ?, ${marks} FROM executions WHERE id = ?
       ON CONFLICT (execution, step, agent_id, model) DO UPDATE SET ${additions(sums, 'step_models')}`,
    )
  }

  add(used: readonly ModelCalls[], at: number): void {
    const hour = Math.floor(at / HOUR_MS)
    for (const { place, agentId, model, ...counts } of used) {
      const { workflowId = '', step = '' } = place ?? {}
      const sums = CALL_COLUMNS.map(([, key]) => counts[key])
      this.#addToHour.run(hour, workflowId, step, agentId, model, ...sums)
      if (place) this.#addToExecution.run(step, agentId, model, ...sums, place.executionId)
    }
  }
}
