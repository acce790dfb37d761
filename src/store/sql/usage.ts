import { CALL_COLUMNS, CALL_CONDITIONS, PLACE_COLUMNS } from '../usage/call-columns.ts'
import type { CallFilter, PeriodCalls, PlacedCalls, StepTimes, UsageStore } from '../usage/usage-store.ts'
import { given, valuesOf, whereAll } from './conditions.ts'
import type { Sql } from './sql.ts'

const SUMS = CALL_COLUMNS.map(([column, key]) => `CAST(sum(${column}) AS bigint) AS "${key}"`).join(', ')
const PLACES = PLACE_COLUMNS.map(([column]) => column).join(', ')
const NAMED_PLACES = PLACE_COLUMNS.map(([column, key]) => `${column} AS "${key}"`).join(', ')
const KEYS = Object.keys(CALL_CONDITIONS) as (keyof CallFilter)[]

const OF_EXECUTION = `SELECT step, agent_id AS "agentId", model,
    ${CALL_COLUMNS.map(([column, key]) => `${column} AS "${key}"`).join(', ')}
  FROM step_models WHERE execution = (SELECT number FROM executions WHERE id = ?) ORDER BY step, agent_id, model`

/** Queries of the durations of steps and of model calls. */
export class SqlUsage implements UsageStore {
  readonly #sql: Sql
  readonly #stepTimes: string

  constructor(sql: Sql) {
    this.#sql = sql
    this.#stepTimes = `SELECT step, bucket, CAST(sum(completed) AS bigint) AS completed,
        CAST(sum(errors) AS bigint) AS errors
      FROM step_days WHERE ${sql.dialect.among('day')} AND workflow_id = ? GROUP BY step, bucket ORDER BY step, bucket`
  }

  stepTimes(workflowId: string, days: readonly number[]): Promise<StepTimes[]> {
    return this.#sql.all(this.#stepTimes, [days, workflowId])
  }

  calls(filter: CallFilter): Promise<PlacedCalls[]> {
    return this.#select(NAMED_PLACES, PLACES, filter)
  }

  callsByTime(filter: CallFilter, hours: number): Promise<PeriodCalls[]> {
    return this.#select(`hour / ${hours} * ${hours} AS hour`, `hour / ${hours}`, filter)
  }

  callsOfExecution(executionId: string): Promise<Omit<PlacedCalls, 'workflowId'>[]> {
    return this.#sql.all(OF_EXECUTION, [executionId])
  }

  #select<Row>(columns: string, by: string, filter: CallFilter): Promise<Row[]> {
    const conditions = KEYS.flatMap((key) =>
      given(filter[key], (value) => ({ text: CALL_CONDITIONS[key], values: [value] })),
    )
    const text = `SELECT ${columns}, ${SUMS} FROM model_hours ${whereAll(conditions)} GROUP BY ${by} ORDER BY ${by}`
    return this.#sql.filtered(text, valuesOf(conditions))
  }
}
