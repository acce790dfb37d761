import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../../client/api-error.ts'
import type { Failure } from '../../contract/endpoints/failures.ts'
import type { ExecutionRecord } from '../../contract/endpoints/execution.ts'
import type { Api } from '../api/api.ts'
import { mapConcurrently } from '../api/map-concurrently.ts'
import { errorMessage } from '../api/request-failure.ts'
import { useServices } from '../services/services-context.tsx'

const PAGE = 200
/** More are left to `replay-workflow` of the command line, which needs no open page. */
export const MAX_REPLAYED = 1000

export interface ReplayProgress {
  /** Executions that are replayed; undefined until they are listed. */
  readonly total: number | undefined
  readonly completed: number
  /** Those that failed again. */
  readonly failed: number
  /** Those that wait, or were cancelled. */
  readonly other: number
  readonly state: 'running' | 'stopping' | 'stopped' | 'done'
  /** Why it ended before all were replayed. */
  readonly problem?: string
}

interface Replays {
  readonly progress: ReplayProgress | undefined
  /** Replays the executions of the failure that no replay has completed yet, the newest first: all, or one. */
  readonly start: (limit?: number) => void
  /** Lets those that run end, and starts no more. */
  readonly stop: () => void
}

/** Replays the executions of a failure from the step that failed, a few at a time. */
export function useReplayAll({ id }: Pick<Failure, 'id'>): Replays {
  const { api } = useServices()
  const [progress, setProgress] = useState<ReplayProgress>()
  const stopping = useRef(false)
  // a closed page starts no more
  useEffect(() => () => void (stopping.current = true), [])
  const change = (changes: Partial<ReplayProgress>) => setProgress((old) => old && { ...old, ...changes })
  const replayAll = async (limit: number) => {
    const executions = (await failedOf(api, id)).slice(0, limit)
    change({ total: executions.length })
    await mapConcurrently(executions, async (execution) => {
      if (stopping.current) return
      const outcome = await replayOne(api, execution)
      setProgress((old) => old && { ...old, [outcome]: old[outcome] + 1 })
    })
    change({ state: stopping.current ? 'stopped' : 'done' })
  }
  return {
    progress,
    start: (limit = MAX_REPLAYED) => {
      stopping.current = false
      setProgress({ total: undefined, completed: 0, failed: 0, other: 0, state: 'running' })
      replayAll(limit).catch((error: unknown) => {
        stopping.current = true
        change({ state: 'stopped', problem: errorMessage(error) })
      })
    },
    stop: () => {
      stopping.current = true
      change({ state: 'stopping' })
    },
  }
}

async function failedOf(api: Api, failure: string): Promise<readonly ExecutionRecord[]> {
  const [failed, completed] = await Promise.all([
    recordsOf(api, { failure, status: 'error' }),
    recordsOf(api, { failure, status: 'completed' }),
  ])
  const fixed = new Set(completed.map(({ forkedFrom }) => forkedFrom?.executionId))
  // a replay that failed again is represented by the execution that it replays
  return failed.filter(({ id, forkedFrom }) => !forkedFrom && !fixed.has(id))
}

async function recordsOf(
  api: Api,
  filter: { readonly failure: string; readonly status: 'error' | 'completed' },
): Promise<ExecutionRecord[]> {
  const records: ExecutionRecord[] = []
  for (let offset = 0; records.length === offset && offset < MAX_REPLAYED; offset += PAGE) {
    const query = { ...filter, limit: String(PAGE), offset: String(offset) }
    records.push(...(await api.call('observeExecutions', { query })))
  }
  return records
}

async function replayOne(
  api: Api,
  { id: executionId, workflowId: id, error }: ExecutionRecord,
): Promise<'completed' | 'failed' | 'other'> {
  const stepId = error?.stepId
  if (stepId === undefined) return 'failed'
  try {
    const { status } = await api.call('replayExecution', { params: { id, executionId }, body: { stepId } })
    return status === 'completed' ? 'completed' : 'other'
  } catch (failure) {
    // the execution failed again, or cannot be replayed; anything else ends all
    if (failure instanceof ApiError && [400, 404, 409, 500].includes(failure.status)) return 'failed'
    throw failure
  }
}
