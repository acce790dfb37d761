import { CALL_COLUMNS, CALL_CONDITIONS, PLACE_COLUMNS } from '../../usage/call-columns.ts'
import type { CallFilter, PeriodCalls, PlacedCalls, StepTimes, UsageStore } from '../../usage/usage-store.ts'
import { filterConditions } from '../agents/filter-conditions.ts'
import type { PostgresQueries } from '../connection/database.ts'
import { escapeNul, unescapeNul } from '../escape-nul.ts'
import { numberParameters, valuesOf, whereAll } from '../parameters.ts'

const SUMS = CALL_COLUMNS.map(([column, key]) => `sum(${column})::bigint AS "${key}"`).join(', ')
const PLACES = PLACE_COLUMNS.map(([column]) => column).join(', ')
const NAMED_PLACES = PLACE_COLUMNS.map(([column, key]) => `${column} AS "${key}"`).join(', ')

const STEP_TIMES = `SELECT step, bucket, sum(completed)::bigint AS completed, sum(errors)::bigint AS errors
  FROM step_days WHERE day = ANY ($1::int[]) AND workflow_id = $2 GROUP BY step, bucket ORDER BY step, bucket`

const OF_EXECUTION = `SELECT step, agent_id AS "agentId", model,
    ${CALL_COLUMNS.map(([column, key]) => `${column} AS "${key}"`).join(', ')}
  FROM step_models WHERE execution = (SELECT number FROM executions WHERE id = $1) ORDER BY step, agent_id, model`

/** Queries of the durations of steps and of model calls. */
export function postgresUsage(database: PostgresQueries): UsageStore {
  const select = <Row>(columns: string, by: string, filter: CallFilter): Promise<Row[]> => {
    const conditions = filterConditions(CALL_CONDITIONS, filter)
    const where = whereAll(conditions)
    const text = `SELECT ${columns}, ${SUMS} FROM model_hours ${where} GROUP BY ${by} ORDER BY ${by}`
    return database.rows<Row>({ text: numberParameters(text), values: valuesOf(conditions) })
  }
  return {
    stepTimes: (workflowId, days) =>
      database.rows<StepTimes>({ name: 'step_times', text: STEP_TIMES, values: [days, workflowId] }),
    calls: async (filter) => restored(await select<PlacedCalls>(NAMED_PLACES, PLACES, filter)),
    callsByTime: (filter, hours) =>
      select<PeriodCalls>(`hour / ${hours} * ${hours} AS hour`, `hour / ${hours}`, filter),
    callsOfExecution: async (id) => {
      const query = { name: 'calls_of_execution', text: OF_EXECUTION, values: [escapeNul(id)] }
      return restored(await database.rows<Omit<PlacedCalls, 'workflowId'>>(query))
    },
  }
}

function restored<Row extends Pick<PlacedCalls, 'model'>>(rows: readonly Row[]): Row[] {
  return rows.map((row) => ({ ...row, model: unescapeNul(row.model) }))
}
