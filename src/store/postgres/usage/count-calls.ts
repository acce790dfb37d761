import { HOUR_MS } from '../../activity-store.ts'
import { additions, CALL_COLUMNS, PLACE_COLUMNS } from '../../usage/call-columns.ts'
import type { ModelCalls } from '../../usage/usage-store.ts'
import { escapeNul } from '../escape-nul.ts'
import { storableJson } from '../executions/execution-batch.ts'

const SUMS = CALL_COLUMNS.map(([column]) => column)
const PLACES = PLACE_COLUMNS.map(([column]) => column)
const RECORD = [
  ...['execution_id', ...PLACES].map((column) => `${column} text`),
  ...SUMS.map((column) => `${column} bigint`),
].join(', ')

/**
 * Parts of a query with the row `run`: add model calls, from `callsJson`, to the sums of their hour and their execution.
 * `calls`, `at` and `ownerEpoch` are parameters.
 */
export function countCalls({ calls, at, ownerEpoch }: Record<'calls' | 'at' | 'ownerEpoch', string>): string {
  const given = `run, jsonb_to_recordset(${calls}::jsonb) AS c(${RECORD})`
  const sums = SUMS.map((column) => `c.${column}`).join(', ')
  return `calls_of_hour AS (
    INSERT INTO model_hours AS h (hour, owner_epoch, ${PLACES.join(', ')}, ${SUMS.join(', ')})
    SELECT ${at}::bigint / ${HOUR_MS}, ${ownerEpoch}::bigint, ${PLACES.map((column) => `c.${column}`).join(', ')}, ${sums}
    FROM ${given} ORDER BY c.model
    ON CONFLICT (hour, ${PLACES.join(', ')}, owner_epoch) DO UPDATE SET ${additions(SUMS, 'h')}),
  calls_of_execution AS (
    INSERT INTO step_models AS s (execution, step, agent_id, model, ${SUMS.join(', ')})
    SELECT e.number, c.step, c.agent_id, c.model, ${sums} FROM ${given} JOIN executions e ON e.id = c.execution_id
    ORDER BY c.model
    ON CONFLICT (execution, step, agent_id, model) DO UPDATE SET ${additions(SUMS, 's')})`
}

/** The parameter of `countCalls`. */
export function callsJson(calls: readonly ModelCalls[] = []): string {
  const rows = calls.map(({ place, agentId, model, ...counts }) => ({
    execution_id: place && escapeNul(place.executionId),
    workflow_id: place?.workflowId ?? '',
    step: place?.step ?? '',
    agent_id: agentId,
    model: escapeNul(model),
    ...Object.fromEntries(CALL_COLUMNS.map(([column, key]) => [column, counts[key]])),
  }))
  return storableJson(JSON.stringify(rows))
}
