import type { ExecutionRow } from '../../execution-store.ts'
import { EXECUTION_COLUMNS } from '../../rows/executions/execution-columns.ts'
import type { SqlValue } from '../driver.ts'

export function executionValues(row: ExecutionRow): SqlValue[] {
  return EXECUTION_COLUMNS.map(([, key]) => row[key])
}

/** SQL of the number of an execution, which other tables refer to. */
export const NUMBER_OF_ID = '(SELECT number FROM executions WHERE id = ?)'
