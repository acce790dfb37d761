import type { CallFilter, CallSums, PlacedCalls } from '../usage-store.ts'

/** Columns that count model calls, with the names of the row's properties. */
export const CALL_COLUMNS = [
  ['calls', 'calls'],
  ['unpriced', 'unpriced'],
  ['input_tokens', 'inputTokens'],
  ['output_tokens', 'outputTokens'],
  ['cost_nano', 'costNano'],
] as const satisfies readonly (readonly [column: string, key: keyof CallSums])[]

/** What the calls of an hour are counted by. */
export const PLACE_COLUMNS = [
  ['workflow_id', 'workflowId'],
  ['step', 'step'],
  ['agent_id', 'agentId'],
  ['model', 'model'],
] as const satisfies readonly (readonly [column: string, key: keyof PlacedCalls])[]

/** The condition of each member of a filter. */
export const CALL_CONDITIONS = {
  fromHour: 'hour >= ?',
  toHour: 'hour <= ?',
  workflowId: 'workflow_id = ?',
  agentId: 'agent_id = ?',
} as const satisfies Record<keyof CallFilter, string>

/** The assignments that add a row to the one that is there. */
export function additions(columns: readonly string[], table: string): string {
  return columns.map((column) => `${column} = ${table}.${column} + excluded.${column}`).join(', ')
}
