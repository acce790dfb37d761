import type { ExecutionStarted } from '../../contract/endpoints/workflow.ts'
import type { ExecutionResult } from '../../contract/event.ts'
import type { StartedExecution } from '../../engine/executions/execute.ts'
import { Reply } from './reply.ts'

const RESPOND_ASYNC = /(?:^|[,;\s])respond-async(?:$|[,;\s])/i

/** The reply for an execution that a request started: its result or, with `Prefer: respond-async`, its id once stored. */
export async function startedReply(
  { executionId, startAt, stored, result }: StartedExecution,
  headers: Headers,
): Promise<ExecutionResult | Reply<ExecutionStarted>> {
  if (!RESPOND_ASYNC.test(headers.get('prefer') ?? '')) return result()
  await stored()
  const accepted = { executionId, status: 'running', startAt } as const
  return new Reply(accepted, { status: 202, headers: { 'Preference-Applied': 'respond-async' } })
}
