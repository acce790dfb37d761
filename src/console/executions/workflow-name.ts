import type { ExecutionRecord } from '../../contract/endpoints/execution.ts'
import { oneLine } from '../ui/escape-text.ts'

const MAX_CHARS = 200

/** The name of an execution's workflow on one line; its id where an older server sends no name. */
export function workflowNameOf({
  workflowId,
  workflowName,
}: Pick<ExecutionRecord, 'workflowId' | 'workflowName'>): string {
  return oneLine(workflowName === '' ? workflowId : workflowName, MAX_CHARS)
}
