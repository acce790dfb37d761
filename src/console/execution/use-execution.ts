import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { ExecutionEvent, RecordedEvent } from '../../contract/event.ts'
import type { ExecutionDetail } from '../../contract/endpoints/execution.ts'
import { foldEvents, lastSequence, toRecordedEvent } from '../../contract/fold-events.ts'
import { queryKeyOf, useEndpoint } from '../api/use-endpoint.ts'
import { useTopic } from '../live/use-topic.ts'
import { isFinal } from '../../contract/is-final.ts'
import { stepFinder } from '../graph/step-tree.ts'

/** An execution, updated live. */
export interface FollowedExecution {
  readonly record: ExecutionDetail | undefined
  readonly error: unknown
  readonly refetch: () => void
  readonly paused: boolean
  /** Number of events since updates were paused. */
  readonly waiting: number
  readonly togglePause: () => void
}

/** Delay after which the record is refetched, to correct what the events do not contain. */
const REFETCH_MS = 2000

/** The record of an execution, updated once per frame by its live events. An empty id follows none. */
export function useExecution(id: string): FollowedExecution {
  const call = { params: { executionId: id } }
  const {
    data: stored,
    error,
    refetch: refetchQuery,
  } = useEndpoint('observeExecution', call, { enabled: id !== '' })
  const queries = useQueryClient()
  const refetch = useCallback(() => void refetchQuery(), [refetchQuery])
  const { data: definition } = useEndpoint(
    'getWorkflow',
    { params: { id: stored?.workflowId ?? '' } },
    { enabled: stored !== undefined },
  )
  const findStep = useMemo(() => stepFinder(definition?.steps ?? []), [definition])
  const [events, setEvents] = useState<readonly RecordedEvent[]>([])
  const queue = useRef<RecordedEvent[]>([])
  const frame = useRef(0)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      cancelAnimationFrame(frame.current)
    },
    [],
  )
  const flush = () => {
    frame.current = 0
    const cached = queries.getQueryData<ExecutionDetail>(queryKeyOf('observeExecution', call))
    const seen = cached ? lastSequence(cached) : 0
    const added = queue.current.splice(0)
    setEvents((old) => [...old.filter((event) => Number(event.id) > seen), ...added])
  }
  const refetchSoon = () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      refetch()
    }, REFETCH_MS)
  }
  const isOpen = stored !== undefined && !isFinal(stored.status)
  useTopic(
    isOpen ? `execution:${id}` : undefined,
    {
      onFrame: ({ seq, data }) => {
        const event = toRecordedEvent(data as ExecutionEvent, seq, stored?.workflowName ?? '')
        queue.current.push(event)
        if (frame.current === 0) frame.current = requestAnimationFrame(flush)
        if (event.type === 'workflow-result') refetch()
        // after the result for its hooks, which add no events
        refetchSoon()
      },
      onResync: refetch,
    },
    stored && lastSequence(stored),
  )
  const hooksRun = stored?.hooks?.some(({ status }) => status === 'running') === true
  useEffect(() => {
    if (!hooksRun) return undefined
    const again = setInterval(refetch, REFETCH_MS)
    return () => clearInterval(again)
  }, [hooksRun, refetch])
  const record = useMemo(() => stored && foldEvents(stored, events, findStep), [stored, events, findStep])
  // its position changes when others begin
  useTopic(record?.waiting && 'executions', { onFrame: refetchSoon, onResync: refetch })
  const [frozen, setFrozen] = useState<ExecutionDetail>()
  return {
    record: frozen ?? record,
    error,
    refetch,
    paused: frozen !== undefined,
    waiting: frozen && record ? lastSequence(record) - lastSequence(frozen) : 0,
    togglePause: () => setFrozen(frozen ? undefined : record),
  }
}
