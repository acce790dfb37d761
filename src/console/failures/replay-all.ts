import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../../client/api-error.ts'
import type { Failure } from '../../contract/endpoints/failures.ts'
import type { ExecutionRecord } from '../../contract/endpoints/execution.ts'
import type { Api } from '../api/api.ts'
import { mapConcurrently } from '../api/map-concurrently.ts'
import { errorMessage } from '../api/request-failure.ts'
import { useServices } from '../services/services-context.tsx'
import { replayable } from './replayable.ts'

const PAGE = 200
/** The others are left to a second run, or to `POST /workflows/executions/replay`, which needs no open page. */
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

/** What the workers of a run look at before each replay. */
interface Run {
  isStopped: boolean
}

/** Replays the executions of a failure from the step that failed, a few at a time. */
export function useReplayAll({ id }: Pick<Failure, 'id'>): Replays {
  const { api } = useServices()
  const [progress, setProgress] = useState<ReplayProgress>()
  const current = useRef<Run>({ isStopped: true })
  // a closed page starts no more
  useEffect(() => () => void (current.current.isStopped = true), [])
  const change = (run: Run, changes: (old: ReplayProgress) => Partial<ReplayProgress>) => {
    if (current.current === run) setProgress((old) => old && { ...old, ...changes(old) })
  }
  const replayAll = async (run: Run, limit: number) => {
    const executions = (await failedOf(api, id)).slice(0, limit)
    change(run, () => ({ total: executions.length }))
    await mapConcurrently(executions, async (execution) => {
      if (run.isStopped) return
      const outcome = await replayOne(api, execution)
      change(run, (old) => ({ [outcome]: old[outcome] + 1 }))
    })
    change(run, () => ({ state: run.isStopped ? 'stopped' : 'done' }))
  }
  return {
    progress,
    start: (limit = MAX_REPLAYED) => {
      const run = { isStopped: false }
      current.current = run
      setProgress({ total: undefined, completed: 0, failed: 0, other: 0, state: 'running' })
      replayAll(run, limit).catch((error: unknown) => {
        run.isStopped = true
        change(run, () => ({ state: 'stopped', problem: errorMessage(error) }))
      })
    },
    stop: () => {
      current.current.isStopped = true
      change(current.current, () => ({ state: 'stopping' }))
    },
  }
}

async function failedOf(api: Api, failure: string): Promise<readonly ExecutionRecord[]> {
  const [failed, completed] = await Promise.all([
    recordsOf(api, { failure, status: 'error' }),
    recordsOf(api, { failure, status: 'completed' }),
  ])
  return replayable(failed, completed)
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
  const body = { stepId: error?.stepId ?? '' }
  try {
    const { status } = await api.call('replayExecution', { params: { id, executionId }, body })
    return status === 'completed' ? 'completed' : 'other'
  } catch (failure) {
    // the execution failed again, or cannot be replayed; anything else ends all
    if (failure instanceof ApiError && [400, 404, 409, 500].includes(failure.status)) return 'failed'
    throw failure
  }
}
