import { useRef } from 'react'
import type { ExecutionRecord } from '../../contract/endpoints/execution.ts'
import { usePages } from '../api/use-pages.ts'
import type { Pages } from '../api/use-pages.ts'
import { metadataQuery } from '../filters/metadata-filter.ts'
import { useThrottled } from '../live/use-throttled.ts'
import { useTopic } from '../live/use-topic.ts'

type Filter =
  | 'q'
  | 'workflowId'
  | 'status'
  | 'userId'
  | 'conversationId'
  | 'metadata'
  | 'parentExecutionId'
  | 'forkedFrom'
  | 'failure'
  | 'scheduleId'
  | 'from'
  | 'to'
export type ExecutionFilters = Readonly<Partial<Record<Filter, string>>>

/** Records that changed since the last render. */
interface Changes {
  readonly created: Map<string, ExecutionRecord>
  readonly updated: Map<string, ExecutionRecord>
}

const RENDER_MS = 80
const REFETCH_MS = 1000

/**
 * The executions that match the filters, updated live from the events. The list is also refetched, at a limited rate,
 * as new rows move the others.
 */
export function useExecutions(filters: ExecutionFilters): Pages<ExecutionRecord> {
  const { metadata = '', ...exact } = filters
  const set = Object.entries(exact).filter(([, value]) => value.trim() !== '')
  const query = { ...Object.fromEntries(set), ...metadataQuery(metadata) }
  const isSearch = [filters.q, filters.failure].some((value = '') => value.trim() !== '')
  const list = usePages('observeExecutions', { query })
  const changes = useRef(noChanges())
  const refetch = useThrottled(list.refetch, REFETCH_MS)
  const render = useThrottled(() => {
    const { created, updated } = changes.current
    changes.current = noChanges()
    const known = new Set<string>()
    let someWait = false
    list.patch((items) => {
      for (const { id } of items) known.add(id)
      const patched = items.map((item) => updated.get(item.id) ?? created.get(item.id) ?? item)
      someWait ||= patched.some(({ waiting }) => waiting !== undefined)
      return patched
    })
    const unknown = [...created.values()].filter(({ id }) => !known.has(id))
    const matching = unknown
      .map((record) => updated.get(record.id) ?? record)
      .filter((one) => matches(one, filters))
    // only the server knows what a search finds
    if (matching.length > 0 && !isSearch) list.prepend(matching.toReversed())
    // new rows move the others, a status filter gains and loses rows, and those that wait for a limit move up
    if (created.size > 0 || someWait || (filters.status ?? '') !== '') refetch()
  }, RENDER_MS)
  useTopic('executions', {
    onFrame: ({ type, data }) => {
      const record = data as ExecutionRecord
      const { created, updated } = changes.current
      ;(type === 'execution:created' ? created : updated).set(record.id, record)
      render()
    },
    onResync: refetch,
  })
  return list
}

function noChanges(): Changes {
  return { created: new Map(), updated: new Map() }
}

const EXACT = ['workflowId', 'status', 'userId', 'conversationId', 'parentExecutionId', 'scheduleId'] as const

function matches(record: ExecutionRecord, filters: ExecutionFilters): boolean {
  const { from = '', to = '', metadata = '' } = filters
  return (
    Object.entries(metadataQuery(metadata)).every(
      ([name, value]) => String(record.metadata[name.slice('metadata.'.length)]) === value,
    ) &&
    EXACT.every((name) => (filters[name] ?? '') === '' || record[name] === filters[name]) &&
    ((filters.forkedFrom ?? '') === '' || record.forkedFrom?.executionId === filters.forkedFrom) &&
    (from === '' || Date.parse(record.createdAt) > Date.parse(from)) &&
    (to === '' || Date.parse(record.createdAt) < Date.parse(to))
  )
}
