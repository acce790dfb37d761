import { useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { ApiError } from '../../client/api-error.ts'
import type { SearchResult } from '../../contract/endpoints/search.ts'
import { FilterBar, FilterText } from '../filters/filter-bar.tsx'
import { useChanges } from '../live/use-topic.ts'
import { Link } from '../router/link.tsx'
import { useUrlState } from '../router/use-url-state.ts'
import { indexLag } from '../search/index-lag.ts'
import { useServices } from '../services/services-context.tsx'
import { oneLine } from '../ui/escape-text.ts'
import { PageHeader } from '../ui/layout/page-header.tsx'
import { EmptyState } from '../ui/state/states.tsx'
import { StatusBadge } from '../ui/state/status-badge.tsx'
import type { Column } from '../ui/table/data-table.tsx'
import { ListView } from '../ui/table/list-view.tsx'
import { Time } from '../ui/time/time.tsx'

const STATE = { q: '' }
const PAGE_SIZE = '50'
const REFETCH_MS = 1000
/** Distance from the end, in rows, at which more are fetched. */
const AHEAD = 20

const EXAMPLE = `status:failed last:1h
workflow:order "A-1042"`

/** All executions and answers of agents that a search finds, newest first. */
export function SearchScreen() {
  const { api, router } = useServices()
  const [{ q }, set] = useUrlState(STATE)
  const text = q.trim()
  const list = useInfiniteQuery({
    queryKey: ['search', text],
    enabled: text !== '',
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      api.request('search', { query: { q: text, limit: PAGE_SIZE, cursor: pageParam }, signal }),
    getNextPageParam: ({ headers }) => headers.get('x-next-cursor') ?? undefined,
  })
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = list
  const lag = indexLag(data?.pages[0]?.beside ?? {})
  const results = useMemo(() => data?.pages.flatMap((page) => page.data), [data])
  useChanges(text === '' ? undefined : 'executions', refetch, REFETCH_MS)
  const open = useCallback((result: SearchResult) => void router.navigate(resultPath(result)), [router])
  const count = results?.length ?? 0
  const onVisible = useCallback(
    (_: number, last: number) => {
      if (last >= count - AHEAD && hasNextPage && !isFetchingNextPage) void fetchNextPage()
    },
    [count, hasNextPage, isFetchingNextPage, fetchNextPage],
  )
  const isRejected = error instanceof ApiError && error.status === 400
  return (
    <>
      <PageHeader
        title="Search"
        aside={
          results && (
            <span className="text-dim">
              {count}
              {hasNextPage && '+'}
            </span>
          )
        }
      />
      <FilterBar>
        <FilterText label="Search" first value={q} onChange={(next) => set({ q: next })} />
      </FilterBar>
      {lag !== undefined && (
        <p role="status" className="px-3 py-1 text-sm text-suspended">
          {lag}
        </p>
      )}
      {text === '' ? (
        <EmptyState title="Enter words or filters" code={EXAMPLE}>
          Runs and answers of agents are found by their ids, names, users, inputs, outputs, errors and logs:
        </EmptyState>
      ) : (
        <ListView
          label="Results"
          columns={RESULT_COLUMNS}
          count={isRejected ? undefined : results?.length}
          row={(index) => results?.[index]}
          rowKey={({ kind, id }) => `${kind} ${id}`}
          onVisible={onVisible}
          open={open}
          error={error}
          retry={() => void refetch()}
          noun="record"
          filtered
          empty={null}
        />
      )}
    </>
  )
}

/** The page of a result. */
function resultPath({ kind, id, traceId }: SearchResult): string {
  return kind === 'execution'
    ? `executions/${encodeURIComponent(id)}`
    : `traces/${encodeURIComponent(traceId)}`
}

const RESULT_COLUMNS: readonly Column<SearchResult>[] = [
  { name: 'Status', width: '6.5rem', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    name: 'Name',
    width: 'minmax(7rem, 1fr)',
    cell: (result) => (
      <Link to={resultPath(result)} tabIndex={-1} title={result.subjectId}>
        {oneLine(result.subjectName, 200)}
      </Link>
    ),
  },
  {
    name: 'Kind',
    width: '5.5rem',
    cell: ({ kind, trial }) => (trial ? 'trial' : kind === 'run' ? 'answer' : kind),
  },
  {
    name: 'Found',
    width: 'minmax(10rem, 4fr)',
    cell: ({ match }) =>
      match && (
        <>
          <span className="text-dim">{match.field}: </span>
          {oneLine(match.text, 300)}
        </>
      ),
  },
  {
    name: 'Id',
    width: '8rem',
    cell: ({ id }) => (
      <span className="font-mono text-sm text-dim" title={id}>
        {id.length > 16 ? `…${id.slice(-14)}` : id}
      </span>
    ),
  },
  { name: 'Started', width: '6.5rem', align: 'right', cell: ({ createdAt }) => <Time at={createdAt} /> },
]
