import { DAY_MS } from '../../activity-store.ts'
import type { StepTime } from '../../usage/usage-store.ts'
import type { Database, Statement } from '../driver.ts'

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
