import type { ExecutionRecord } from '../../contract/endpoints/execution.ts'
import { oneLine } from '../ui/escape-hidden.ts'

const MAX_CHARS = 200

/** The name of an execution's workflow on one line; its id where an older server sends no name. */
export function workflowNameOf({
  workflowId,
  workflowName = workflowId,
}: Pick<ExecutionRecord, 'workflowId'> & Partial<Pick<ExecutionRecord, 'workflowName'>>): string {
  return oneLine(workflowName, MAX_CHARS)
}
