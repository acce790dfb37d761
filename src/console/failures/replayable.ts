import type { ExecutionRecord } from '../../contract/endpoints/execution.ts'

type Replayable = Pick<ExecutionRecord, 'id' | 'error' | 'forkedFrom'>

/**
 * The executions of a failure that can be replayed, in their order: of an execution and its replays the first one, unless
 * one of them has completed.
 */
export function replayable<T extends Replayable>(failed: readonly T[], completed: readonly T[]): T[] {
  const origins = new Map(
    [...failed, ...completed].map(({ id, forkedFrom }) => [id, forkedFrom?.executionId]),
  )
  const rootOf = (id: string): string => {
    const origin = origins.get(id)
    return origin === undefined ? id : rootOf(origin)
  }
  const done = new Set(completed.map(({ id }) => rootOf(id)))
  return failed.filter(({ id, error }) => {
    const root = rootOf(id)
    if (error?.stepId === undefined || done.has(root)) return false
    done.add(root)
    return true
  })
}
