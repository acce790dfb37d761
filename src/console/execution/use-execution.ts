import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { ExecutionEvent, RecordedEvent } from '../../contract/event.ts'
import type { ExecutionDetail } from '../../contract/endpoints/execution.ts'
import { foldEvents, lastSequence, toRecordedEvent } from '../../contract/fold-events.ts'
import { queryKeyOf, useEndpoint } from '../api/use-endpoint.ts'
import { useTopic } from '../live/use-topic.ts'
import { isFinal } from '../../contract/is-final.ts'
import { stepFinder } from './step-finder.ts'

/** An execution, followed while it goes on. */
export interface FollowedExecution {
  readonly record: ExecutionDetail | undefined
  readonly error: unknown
  readonly refetch: () => void
  readonly paused: boolean
  /** Events that came since it was paused. */
  readonly waiting: number
  readonly togglePause: () => void
}

/** How long the events are trusted before the server is asked for the whole record again. */
const TRUST_MS = 2000

/** The record of an execution, and each event on top of it within a frame of its coming; of none for ''. */
export function useExecution(id: string): FollowedExecution {
  const call = { params: { executionId: id } }
  const { data: stored, error, refetch: ask } = useEndpoint('observeExecution', call, { enabled: id !== '' })
  const queries = useQueryClient()
  const refetch = useCallback(() => void ask(), [ask])
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
    const known = queries.getQueryData<ExecutionDetail>(queryKeyOf('observeExecution', call))
    const seen = known ? lastSequence(known) : 0
    const came = queue.current.splice(0)
    setEvents((old) => [...old.filter((event) => Number(event.id) > seen), ...came])
  }
  const refetchSoon = () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      refetch()
    }, TRUST_MS)
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
        else refetchSoon()
      },
      onResync: refetch,
    },
    stored && lastSequence(stored),
  )
  const record = useMemo(() => stored && foldEvents(stored, events, findStep), [stored, events, findStep])
  const [held, setHeld] = useState<ExecutionDetail>()
  return {
    record: held ?? record,
    error,
    refetch,
    paused: held !== undefined,
    waiting: held && record ? lastSequence(record) - lastSequence(held) : 0,
    togglePause: () => setHeld(held ? undefined : record),
  }
}
