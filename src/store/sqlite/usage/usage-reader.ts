import { CALL_COLUMNS, CALL_CONDITIONS, PLACE_COLUMNS } from '../../usage/call-columns.ts'
import type { CallFilter, PeriodCalls, PlacedCalls, StepTimes, UsageStore } from '../../usage/usage-store.ts'
import { conditionsOf } from '../conditions-of.ts'
import type { Database } from '../driver.ts'
import { StatementCache } from '../statement-cache.ts'

const SUMS = CALL_COLUMNS.map(([column, key]) => `sum(${column}) AS ${key}`).join(', ')
const PLACES = PLACE_COLUMNS.map(([column]) => column).join(', ')
const NAMED_PLACES = PLACE_COLUMNS.map(([column, key]) => `${column} AS ${key}`).join(', ')

/** Queries of the durations of steps and of model calls. */
export function sqliteUsage(database: Database): UsageStore {
  const filtered = new StatementCache(database)
  const stepTimes = database.prepare(
    `SELECT step, bucket, sum(completed) AS completed, sum(errors) AS errors
     FROM step_days WHERE day IN (SELECT value FROM json_each(?)) AND workflow_id = ? GROUP BY step, bucket ORDER BY step, bucket`,
  )
  const ofExecution = database.prepare(
    `SELECT step, agent_id AS agentId, model, ${CALL_COLUMNS.map(([column, key]) => `${column} AS ${key}`).join(', ')}
     FROM step_models WHERE execution = (SELECT number FROM executions WHERE id = ?) ORDER BY step, agent_id, model`,
  )
  const select = (columns: string, by: string, filter: CallFilter) => {
    const { where, values } = conditionsOf(CALL_CONDITIONS, filter)
    const sql = `SELECT ${columns}, ${SUMS} FROM model_hours ${where} GROUP BY ${by} ORDER BY ${by}`
    return filtered.get(sql).all(...values)
  }
  return {
    stepTimes: async (workflowId, days) => stepTimes.all(JSON.stringify(days), workflowId) as StepTimes[],
    calls: async (filter) => select(NAMED_PLACES, PLACES, filter) as PlacedCalls[],
    callsByTime: async (filter, hours) =>
      select(`hour / ${hours} * ${hours} AS hour`, `hour / ${hours}`, filter) as PeriodCalls[],
    callsOfExecution: async (id) => ofExecution.all(id) as Omit<PlacedCalls, 'workflowId'>[],
  }
}
