import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useBreakpoints } from '../../../breakpoints/use-breakpoints.ts'
import { useServices } from '../../../services/services-context.tsx'
import type { RunBody } from './use-run-form.ts'

export type StartKind = 'run' | 'stream'

/** The state of the last stream. */
export interface Streamed {
  readonly executionId: string
  readonly count: number
  readonly isOpen: boolean
  /** Why the stream was interrupted. */
  readonly failure?: unknown
}

export interface Start {
  readonly start: (kind: StartKind, body: RunBody) => Promise<void>
  /** The pending request. */
  readonly starting: StartKind | undefined
  /** Error of the last start. */
  readonly failure: unknown
  readonly streamed: Streamed | undefined
}

/** Starts executions of a workflow; `onStart` is called with the id of each. */
export function useStart(workflowId: string, onStart: (executionId: string) => void): Start {
  const { api } = useServices()
  const breakpoints = useBreakpoints()
  const queries = useQueryClient()
  const [starting, setStarting] = useState<StartKind>()
  const [failure, setFailure] = useState<unknown>()
  const [streamed, setStreamed] = useState<Streamed>()
  const abort = useRef<AbortController>(undefined)
  useEffect(() => () => abort.current?.abort(), [])

  const started = (executionId: string) => {
    setStarting(undefined)
    void queries.invalidateQueries({ queryKey: ['observeExecution'] })
    onStart(executionId)
  }
  const run = async (body: RunBody) => {
    const call = { params: { id: workflowId }, headers: { prefer: 'respond-async' }, body }
    const { executionId } = await api.call('executeWorkflow', call)
    started(executionId)
  }
  const stream = async (body: RunBody) => {
    const controller = new AbortController()
    abort.current?.abort()
    abort.current = controller
    let now: Streamed | undefined
    try {
      const call = {
        params: { id: workflowId },
        query: { include: 'contract' as const },
        body,
        signal: controller.signal,
      }
      for await (const { executionId } of api.events('streamWorkflow', call)) {
        if (!now) started(executionId)
        now = { executionId, count: (now?.count ?? 0) + 1, isOpen: true }
        setStreamed(now)
      }
      if (now) setStreamed({ ...now, isOpen: false })
    } catch (error) {
      if (controller.signal.aborted) return
      // a started execution continues without this stream
      if (!now) throw error
      setStreamed({ ...now, isOpen: false, failure: error })
    }
  }
  const start = async (kind: StartKind, given: RunBody) => {
    if (starting !== undefined) return
    const pauseAt = [...breakpoints.ids]
    const body = pauseAt.length === 0 ? given : { ...given, options: { ...given.options, pauseAt } }
    setStarting(kind)
    setFailure(undefined)
    setStreamed(undefined)
    try {
      await (kind === 'run' ? run(body) : stream(body))
    } catch (error) {
      setFailure(error)
    } finally {
      setStarting(undefined)
    }
  }
  return { start, starting, failure, streamed }
}
