import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useBreakpoints } from '../../../breakpoints/use-breakpoints.ts'
import { useServices } from '../../../services/services-context.tsx'
import type { RunBody } from './use-run-form.ts'

export interface Start {
  readonly start: (body: RunBody) => Promise<void>
  /** Whether a request is pending. */
  readonly isStarting: boolean
  /** Error of the last start. */
  readonly failure: unknown
}

/** Starts executions of a workflow; `onStart` is called with the id of each. */
export function useStart(workflowId: string, onStart: (executionId: string) => void): Start {
  const { api } = useServices()
  const breakpoints = useBreakpoints()
  const queries = useQueryClient()
  const [isStarting, setStarting] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const start = async (given: RunBody) => {
    if (isStarting) return
    const pauseAt = [...breakpoints.ids]
    const body = pauseAt.length === 0 ? given : { ...given, options: { ...given.options, pauseAt } }
    setStarting(true)
    setFailure(undefined)
    try {
      const call = { params: { id: workflowId }, headers: { prefer: 'respond-async' }, body }
      const { executionId } = await api.call('executeWorkflow', call)
      void queries.invalidateQueries({ queryKey: ['observeExecution'] })
      onStart(executionId)
    } catch (error) {
      setFailure(error)
    } finally {
      setStarting(false)
    }
  }
  return { start, isStarting, failure }
}
