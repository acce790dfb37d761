import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../../../client/api-error.ts'
import { errorMessage } from '../../api/request-failure.ts'
import { useServices } from '../../services/services-context.tsx'
import { loadRuns, saveRuns } from './tool-runs.ts'
import type { ToolRun } from './tool-runs.ts'
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
