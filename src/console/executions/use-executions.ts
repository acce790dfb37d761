import { useRef } from 'react'
import type { ExecutionRecord } from '../../contract/endpoints/execution.ts'
import { usePages } from '../api/use-pages.ts'
import type { Pages } from '../api/use-pages.ts'
import { useThrottled } from '../live/use-throttled.ts'
import { useTopic } from '../live/use-topic.ts'

type Filter =
  | 'workflowId'
  | 'status'
  | 'userId'
  | 'conversationId'
  | 'parentExecutionId'
  | 'forkedFrom'
  | 'from'
  | 'to'
export type ExecutionFilters = Readonly<Partial<Record<Filter, string>>>

/** What came since the last drawing. */
interface News {
  readonly created: Map<string, ExecutionRecord>
  readonly updated: Map<string, ExecutionRecord>
}

const DRAW_MS = 80
const FETCH_MS = 1000

/**
 * The executions that fit, followed live. What an event tells is drawn from the event itself; the server is asked
 * again now and then, however many events there are.
 */
export function useExecutions(filters: ExecutionFilters): Pages<ExecutionRecord> {
  const query = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''))
  const list = usePages('observeExecutions', { query })
  const news = useRef(noNews())
  const fetchAgain = useThrottled(list.refetch, FETCH_MS)
  const draw = useThrottled(() => {
    const { created, updated } = news.current
    news.current = noNews()
    const known = new Set<string>()
    list.patch((items) => {
      for (const { id } of items) known.add(id)
      return items.map((item) => updated.get(item.id) ?? created.get(item.id) ?? item)
    })
    const fresh = [...created.values()].filter(({ id }) => !known.has(id))
    const fitting = fresh
      .map((record) => updated.get(record.id) ?? record)
      .filter((one) => fits(one, filters))
    if (fitting.length > 0) list.prepend(fitting.toReversed())
    // places move with new rows, and a filter by status gains and loses them
    if (created.size > 0 || (filters.status ?? '') !== '') fetchAgain()
  }, DRAW_MS)
  useTopic('executions', {
    onFrame: ({ type, data }) => {
      const record = data as ExecutionRecord
      const { created, updated } = news.current
      ;(type === 'execution:created' ? created : updated).set(record.id, record)
      draw()
    },
    onResync: fetchAgain,
  })
  return list
}

function noNews(): News {
  return { created: new Map(), updated: new Map() }
}

const EXACT = ['workflowId', 'status', 'userId', 'conversationId', 'parentExecutionId'] as const

function fits(record: ExecutionRecord, filters: ExecutionFilters): boolean {
  const { from = '', to = '' } = filters
  return (
    EXACT.every((name) => (filters[name] ?? '') === '' || record[name] === filters[name]) &&
    ((filters.forkedFrom ?? '') === '' || record.forkedFrom?.executionId === filters.forkedFrom) &&
    (from === '' || Date.parse(record.createdAt) > Date.parse(from)) &&
    (to === '' || Date.parse(record.createdAt) < Date.parse(to))
  )
}
