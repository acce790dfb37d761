import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../../../client/api-error.ts'
import { errorMessage } from '../../api/request-failure.ts'
import { useServices } from '../../services/services-context.tsx'
import { serverClock } from '../../ui/time/use-now.ts'

export interface ToolRunner {
  readonly runs: readonly ToolRun[]
  /** Start time of the current run. */
  readonly since: string | undefined
  /** The input that needs approval, and the message of the server. */
  readonly approval: { readonly input: unknown; readonly message: string } | undefined
  readonly run: (input: unknown, approve?: boolean) => Promise<void>
  /** Aborts the run, or dismisses the approval prompt. */
  readonly stop: () => void
}

/** Runs a tool, one call at a time. */
export function useToolRun(name: string): ToolRunner {
  const { api } = useServices()
  const [runs, setRuns] = useState(() => loadRuns(name))
  const [since, setSince] = useState<string>()
  const [approval, setApproval] = useState<ToolRunner['approval']>()
  const abort = useRef<AbortController>(undefined)
  useEffect(() => () => abort.current?.abort(), [])
  const add = (run: ToolRun) => {
    const next = [run, ...loadRuns(name)]
    saveRuns(name, next)
    setRuns([run, ...runs])
  }
  const run = async (input: unknown, approve = false) => {
    if (abort.current) return
    const controller = new AbortController()
    abort.current = controller
    const at = new Date(serverClock.now()).toISOString()
    const startedAt = performance.now()
    setSince(at)
    setApproval(undefined)
    try {
      const body = { input, ...(approve && { approve }) }
      const { result, durationMs, traceId } = await api.call('executeTool', {
        params: { name },
        body,
        signal: controller.signal,
      })
      add({ at, input, status: 'completed', durationMs, result, traceId })
    } catch (error) {
      const durationMs = Math.round(performance.now() - startedAt)
      if (error instanceof ApiError && error.status === 409 && !approve)
        setApproval({ input, message: error.message })
      else if (controller.signal.aborted) add({ at, input, status: 'cancelled', durationMs })
      else add({ at, input, durationMs, ...failure(error) })
    } finally {
      abort.current = undefined
      setSince(undefined)
    }
  }
  const stop = () => {
    abort.current?.abort()
    setApproval(undefined)
  }
  return { runs, since, approval, run, stop }
}

function failure(error: unknown): Pick<ToolRun, 'status' | 'error' | 'traceId'> {
  const { status = 0, requestId, traceId } = error instanceof ApiError ? error : {}
  return {
    status: 'error',
    error: { status, message: errorMessage(error), ...(requestId !== undefined && { requestId }) },
    ...(traceId !== undefined && { traceId }),
  }
}

/** One run of a tool, stored in this browser tab. */
export interface ToolRun {
  readonly at: string
  readonly input: unknown
  readonly status: 'completed' | 'error' | 'cancelled'
  readonly durationMs: number
  readonly result?: unknown
  /** The result was too large to be stored. */
  readonly isTruncated?: boolean
  readonly error?: { readonly status: number; readonly message: string; readonly requestId?: string }
  readonly traceId?: string
}

const MAX_RUNS = 20
const MAX_RESULT_LENGTH = 20_000

function storageKey(name: string): string {
  return `agentserver.tool-runs.${name}`
}

/** The last runs of a tool, newest first. */
function loadRuns(name: string): readonly ToolRun[] {
  try {
    const runs: unknown = JSON.parse(sessionStorage.getItem(storageKey(name)) ?? '[]')
    return Array.isArray(runs) ? (runs as ToolRun[]) : []
  } catch {
    // not written by the console
    return []
  }
}

/** Stores runs until the tab is closed. */
function saveRuns(name: string, runs: readonly ToolRun[]): void {
  const kept = runs.slice(0, MAX_RUNS).map((run) => boundResult(run))
  for (let count = kept.length; count > 0; count = Math.floor(count / 2)) {
    try {
      sessionStorage.setItem(storageKey(name), JSON.stringify(kept.slice(0, count)))
      return
    } catch {
      // the storage is full: retry with fewer runs
    }
  }
}

function boundResult(run: ToolRun): ToolRun {
  const { result, ...rest } = run
  const length = JSON.stringify(result)?.length ?? 0
  return length > MAX_RESULT_LENGTH ? { ...rest, isTruncated: true } : run
}
