import { isFinal } from '../../contract/is-final.ts'
import { AppError } from '../../lib/errors.ts'
import type { ExecutionRow, ExecutionStore } from '../../store/execution-store.ts'
import type { CancelledOutcome, Run } from '../run/run.ts'

interface CancelContext {
  readonly executions: ExecutionStore
  readonly host: {
    live(id: string): Run | undefined
    cancelSettled(row: ExecutionRow, reason: string): Promise<CancelledOutcome | undefined>
  }
}

const ATTEMPTS = 5

/**
 * Cancels an execution, whether it runs or is suspended, and its children with it. `undefined`: there is none
 * that has not ended.
 */
export async function cancelExecution(
  id: string,
  reason: string,
  context: CancelContext,
): Promise<CancelledOutcome | undefined> {
  const { executions, host } = context
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    await host
      .live(id)
      ?.begun()
      .catch(() => false)
    const row = await executions.get(id)
    if (!row || isFinal(row.status)) return undefined
    const run = row.status === 'running' ? host.live(id) : undefined
    const rest = await (run ? run.cancel(reason) : host.cancelSettled(row, reason))
    if (rest) {
      for (const child of await executions.openChildren(id)) await cancelExecution(child, reason, context)
      return rest
    }
    // it changed between the look and the attempt: whatever it is doing now comes to rest first
    await host.live(id)?.ended
  }
  throw new AppError('conflict', `The execution is being changed by others: ${id}`)
}
