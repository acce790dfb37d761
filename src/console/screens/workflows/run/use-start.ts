import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useServices } from '../../../services/services-context.tsx'
import type { RunBody } from './use-run-form.ts'

export type StartKind = 'run' | 'stream'

/** What the last stream has brought so far. */
export interface Streamed {
  readonly executionId: string
  readonly count: number
  readonly isOpen: boolean
  /** Why it broke off. */
  readonly failure?: unknown
}

export interface Start {
  readonly start: (kind: StartKind, body: RunBody) => Promise<void>
  /** What is on its way; the server has not answered yet. */
  readonly starting: StartKind | undefined
  /** Why the last start was refused. */
  readonly failure: unknown
  readonly streamed: Streamed | undefined
}

/** Starts executions of a workflow; `began` is told the id of each as soon as there is one. */
export function useStart(workflowId: string, began: (executionId: string) => void): Start {
  const { api } = useServices()
  const queries = useQueryClient()
  const [starting, setStarting] = useState<StartKind>()
  const [failure, setFailure] = useState<unknown>()
  const [streamed, setStreamed] = useState<Streamed>()
  const leave = useRef<AbortController>(undefined)
  useEffect(() => () => leave.current?.abort(), [])

  const isUnderWay = (executionId: string) => {
    setStarting(undefined)
    void queries.invalidateQueries({ queryKey: ['observeExecution'] })
    began(executionId)
  }
  const run = async (body: RunBody) => {
    const call = { params: { id: workflowId }, headers: { prefer: 'respond-async' }, body }
    const { executionId } = await api.call('executeWorkflow', call)
    isUnderWay(executionId)
  }
  const stream = async (body: RunBody) => {
    const left = new AbortController()
    leave.current?.abort()
    leave.current = left
    let now: Streamed | undefined
    try {
      const call = { params: { id: workflowId }, body, signal: left.signal }
      for await (const { executionId } of api.events('streamWorkflow', call)) {
        if (!now) isUnderWay(executionId)
        now = { executionId, count: (now?.count ?? 0) + 1, isOpen: true }
        setStreamed(now)
      }
      if (now) setStreamed({ ...now, isOpen: false })
    } catch (error) {
      if (left.signal.aborted) return
      // what broke off after its beginning goes on without this stream
      if (!now) throw error
      setStreamed({ ...now, isOpen: false, failure: error })
    }
  }
  const start = async (kind: StartKind, body: RunBody) => {
    if (starting !== undefined) return
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
