import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import type { InfiniteData } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { TraceSummary } from '../../../contract/endpoints/trace.ts'
import type { ApiResponse } from '../../api/api.ts'
import { useChanges } from '../../live/use-topic.ts'
import { useThrottled } from '../../live/use-throttled.ts'
import { useServices } from '../../services/services-context.tsx'

export type TraceFilters = Readonly<
  Record<
    | 'agentId'
    | 'workflowId'
    | 'executionId'
    | 'conversationId'
    | 'userId'
    | 'status'
    | 'from'
    | 'to'
    | 'minDurationMs'
    | 'q',
    string
  >
>

export interface TraceList {
  /** Undefined before the first response. */
  readonly traces: readonly TraceSummary[] | undefined
  readonly isWhole: boolean
  readonly error: Error | null
  readonly refetch: () => void
  /** Reports the rows in view: more are fetched near the end; new ones are held back while the top is out of view. */
  readonly show: (first: number, last: number) => void
  /** Number of new traces that are held back, so that the rows in view do not move. */
  readonly waiting: number
  readonly showWaiting: () => void
}

type Page = ApiResponse<TraceSummary[]>

const PAGE_SIZE = '100'
const REFRESH_MS = 500
const WHILE_RUNNING_MS = 2000
/** Distance from the end, in rows, at which more are fetched. */
const AHEAD = 30

/** The traces that match the filters, newest first, updated live. */
export function useTraces(filters: TraceFilters): TraceList {
  const { api } = useServices()
  const client = useQueryClient()
  const [waiting, setWaiting] = useState(0)
  const atTop = useRef(true)
  const query = Object.fromEntries(Object.entries(filters).filter(([, value]) => value.trim() !== ''))
  const queryKey = ['listTraces', query]
  const page = (cursor: string, signal?: AbortSignal): Promise<Page> => {
    const paged = { ...query, limit: PAGE_SIZE, ...(cursor !== '' && { cursor }) }
    return api.request('listTraces', { query: paged, ...(signal && { signal }) })
  }
  const list = useInfiniteQuery({
    queryKey,
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) => page(pageParam, signal),
    getNextPageParam: ({ headers }) => headers.get('x-next-cursor') ?? undefined,
    // `refresh` adds new traces
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  })
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = list
  const traces = useMemo(() => data?.pages.flatMap((one) => one.data), [data])
  const update = (change: (old: InfiniteData<Page, string>) => InfiniteData<Page, string>) =>
    client.setQueryData<InfiniteData<Page, string>>(queryKey, (old) => old && change(old))
  const refresh = useThrottled(() => {
    if (traces === undefined) return
    void page('').then(
      (newest) => {
        const added = newTraces(traces, newest.data)
        setWaiting(atTop.current ? 0 : added)
        update((old) => withNewest(old, newest, { add: atTop.current }))
      },
      // the next change retries; the connection banner reports a server that is down
      () => undefined,
    )
  }, REFRESH_MS)
  useChanges('traces', refresh)
  const hasRunning = traces?.slice(0, Number(PAGE_SIZE)).some(({ status }) => status === 'running') ?? false
  useEffect(() => {
    if (!hasRunning) return undefined
    const timer = setInterval(refresh, WHILE_RUNNING_MS)
    return () => clearInterval(timer)
  }, [hasRunning, refresh])
  // updates a list that was cached by an earlier visit
  useEffect(() => refresh(), [refresh])
  const count = traces?.length ?? 0
  const show = useCallback(
    (first: number, last: number) => {
      const wasAtTop = atTop.current
      atTop.current = first === 0
      if (first === 0 && !wasAtTop) refresh()
      if (last >= count - AHEAD && hasNextPage && !isFetchingNextPage) void fetchNextPage()
    },
    [count, hasNextPage, isFetchingNextPage, fetchNextPage, refresh],
  )
  return {
    traces,
    isWhole: !hasNextPage,
    error: list.error,
    refetch: () => void list.refetch(),
    show,
    waiting,
    showWaiting: () => {
      atTop.current = true
      setWaiting(0)
      refresh()
    },
  }
}

/** Number of the newest traces that are not yet in the list. */
function newTraces(known: readonly TraceSummary[], newest: readonly TraceSummary[]): number {
  const ids = new Set(known.map(({ traceId }) => traceId))
  return newest.filter(({ traceId }) => !ids.has(traceId)).length
}

/** The list updated from its new first page. Without `add` no rows are added: the known ones are updated in place. */
function withNewest(
  list: InfiniteData<Page, string>,
  newest: Page,
  { add }: { readonly add: boolean },
): InfiniteData<Page, string> {
  const last = list.pages.at(-1)
  const known = list.pages.flatMap((page) => page.data)
  if (!last) return list
  if (!add) {
    const changed = new Map(newest.data.map((trace) => [trace.traceId, trace]))
    return onePage(
      known.map((trace) => changed.get(trace.traceId) ?? trace),
      last,
    )
  }
  const edge = newest.data.at(-1)
  const at = known.findLastIndex(({ traceId }) => traceId === edge?.traceId)
  // the list has one page, or more new traces than a page holds
  if (at === -1 || !newest.headers.has('x-next-cursor')) return onePage(newest.data, newest)
  return onePage([...newest.data, ...known.slice(at + 1)], last)
}

function onePage(data: TraceSummary[], page: Page): InfiniteData<Page, string> {
  return { pages: [{ ...page, data }], pageParams: [''] }
}
