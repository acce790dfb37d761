import type { ExecutionEvent } from '../contract/event.ts'
import type { ApiClient } from './api.ts'

/** The event with which an execution completed, failed, suspended or was cancelled. */
export type SettledEvent = Extract<ExecutionEvent, { type: 'workflow-result' }> & {
  readonly sequence: number
}

interface SettledOptions {
  /** The sequence of the last known event: earlier ones are skipped. Default: 0. */
  readonly after?: number
  readonly signal?: AbortSignal
}

/** Waits until an execution completes, fails, suspends or is cancelled. */
export async function untilSettled(
  api: ApiClient,
  params: { readonly id: string; readonly executionId: string },
  { after = 0, signal }: SettledOptions = {},
): Promise<SettledEvent> {
  const query = { after: String(after), include: 'contract' } as const
  for await (const event of api.followExecution({ params, query, ...(signal && { signal }) }))
    if (event.type === 'workflow-result') return event
  throw new Error(`The execution ${params.executionId} did not settle`)
}
