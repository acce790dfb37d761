import { HOUR_MS } from '../../activity-store.ts'
import { additions, CALL_COLUMNS, PLACE_COLUMNS } from '../../usage/call-columns.ts'
import type { ModelCalls } from '../../usage/usage-store.ts'
import type { Database, Statement } from '../driver.ts'

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
