import { useEffect } from 'react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatCost } from '../../../contract/usage/cost.ts'
import type { CallOf } from '../../api/call.ts'
import { usePolling } from '../../api/use-endpoint.ts'
import { curlCode, credentialFor } from '../../code/request-code.ts'
import { FilterBar, FilterText } from '../../filters/filter-bar.tsx'
import { StatusFilter } from '../../filters/declared-filter.tsx'
import { shortJson } from '../../json/parse-json.ts'
import { useCopyKeys, useKeys } from '../../keys/use-keys.ts'
import { useUrlState } from '../../router/use-url-state.ts'
import { useServices } from '../../services/services-context.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { EmptyState } from '../../ui/state/states.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import type { Column } from '../../ui/table/data-table.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { countText, durationBetween } from '../../ui/time/format-time.ts'
import { Duration, Time } from '../../ui/time/time.tsx'
import { textOf } from './chat/session/chat-message.ts'
import type { Run } from './chat/session/chat-message.ts'
import { fromInput } from './chat/session/ui-messages.ts'
import { RunDetail, TrialMark } from './run-detail.tsx'

/** The first three remain when a run is open beside the list. */
const RUN_COLUMNS: readonly Column<Run>[] = [
  { name: 'Status', width: '6.5rem', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    name: 'Input',
    width: 'minmax(7rem, 2fr)',
    cell: ({ input, trial }) => (
      <>
        {trial && <TrialMark />}
        {lastQuestion(input)}
      </>
    ),
  },
  { name: 'Started', width: '5.5rem', align: 'right', cell: ({ startTime }) => <Time at={startTime} /> },
  {
    name: 'Output',
    width: 'minmax(7rem, 3fr)',
    cell: ({ output, error }) =>
      error === undefined ? (
        <span className="text-dim">{output === null ? '' : shortJson(output)}</span>
      ) : (
        <span className="text-error">{error}</span>
      ),
  },
  {
    name: 'Conversation',
    width: '7rem',
    cell: ({ conversationId }) => <span className="font-mono text-sm text-dim">{conversationId}</span>,
  },
  { name: 'User', width: '5rem', cell: ({ userId }) => userId },
  {
    name: 'Tokens',
    width: '4.5rem',
    align: 'right',
    cell: ({ usage }) => usage && countText(usage.totalTokens),
  },
  {
    name: 'Cost',
    width: '4.5rem',
    align: 'right',
    cell: ({ usage }) => usage && usage.costUsd !== null && formatCost(usage.costUsd),
  },
  {
    name: 'Duration',
    width: '5rem',
    align: 'right',
    cell: ({ startTime, endTime }) => <Duration ms={durationBetween(startTime, endTime)} since={startTime} />,
  },
]

const STATE = { page: '1', conversationId: '', userId: '', status: '', run: '' }

/** The runs of an agent, page by page. */
export function HistoryTab({ agentId }: { readonly agentId: string }) {
  const { api, credentials } = useServices()
  const [{ run, ...filters }, set] = useUrlState(STATE)
  const { runs, total, error, refetch } = useHistory(agentId, filters)
  const chosen = runs?.find(({ id }) => id === run)
  const filter = (change: Partial<typeof STATE>) => set({ ...change, page: '1', run: '' })
  const pages = Math.max(1, Math.ceil(total / PAGE_SIZE))
  const isFiltered = filters.conversationId !== '' || filters.userId !== '' || filters.status !== ''
  // the page may be past the end: runs were deleted, or the URL was edited
  useEffect(() => {
    if (runs && runs.length === 0 && Number(filters.page) > pages) set({ page: String(pages) })
  }, [runs, pages, filters.page, set])
  useKeys([{ keys: 'Escape', label: 'Close details', group: 'History', run: () => set({ run: '' }) }])
  useCopyKeys('History', () => {
    const url = api.urlOf('listAgentHistory', { params: { id: agentId }, query: filters })
    return curlCode({ method: 'GET', url, credential: credentialFor(credentials, 'key') })
  })
  return (
    <>
      <FilterBar>
        <StatusFilter
          value={filters.status}
          options={['completed', 'error', 'running', 'suspended', 'aborted']}
          onChange={(status) => filter({ status })}
        />
        <FilterText
          label="Conversation"
          first
          value={filters.conversationId}
          onChange={(conversationId) => filter({ conversationId })}
        />
        <FilterText label="User" value={filters.userId} onChange={(userId) => filter({ userId })} />
        <Pager
          page={Number(filters.page)}
          pages={pages}
          total={total}
          go={(page) => set({ page: String(page), run: '' })}
        />
      </FilterBar>
      <div className="flex min-h-0 flex-1 max-sm:flex-col">
        <div className="flex min-h-24 min-w-0 flex-1 flex-col">
          <ListView
            label="Runs"
            columns={chosen ? RUN_COLUMNS.slice(0, 3) : RUN_COLUMNS}
            count={runs?.length}
            row={(index) => runs?.[index]}
            rowKey={({ id }) => id}
            chosenKey={run}
            open={({ id }) => set({ run: id })}
            error={error}
            retry={refetch}
            noun="run"
            filtered={isFiltered}
            empty={
              <EmptyState title="No runs yet" code={`npx agentserver chat ${agentId}`}>
                Chat with the agent here, over HTTP or from the terminal:
              </EmptyState>
            }
          />
        </div>
        {chosen && (
          <RunDetail key={chosen.id} agentId={agentId} run={chosen} close={() => set({ run: '' })} />
        )}
      </div>
    </>
  )
}

const POLL_MS = 5000

const PAGE_SIZE = 50

interface History {
  readonly runs: readonly Run[] | undefined
  readonly total: number
  readonly error: Error | null
  readonly refetch: () => void
}

/** One page of the runs of an agent. */
function useHistory(agentId: string, filters: Readonly<Record<string, string>>): History {
  const { api } = useServices()
  const active = Object.entries(filters).filter(([, value]) => value !== '')
  const query = { ...Object.fromEntries(active), limit: String(PAGE_SIZE) }
  const { data, error, refetch } = useQuery({
    queryKey: ['listAgentHistory', agentId, 'page', query],
    queryFn: ({ signal }) => {
      const call = { params: { id: agentId }, query, signal } as CallOf<'listAgentHistory'>
      return api.request('listAgentHistory', call)
    },
    placeholderData: keepPreviousData,
  })
  usePolling(refetch, POLL_MS)
  const total = Number(data?.headers.get('x-total-count') ?? 0)
  return { runs: data?.data, total, error, refetch: () => void refetch() }
}

/** The last user message of the input. */
function lastQuestion(input: unknown): string {
  const question = fromInput(input).findLast(({ role }) => role === 'user')
  return question ? textOf(question).slice(0, 300) : shortJson(input)
}

interface PagerProps {
  readonly page: number
  readonly pages: number
  readonly total: number
  readonly go: (page: number) => void
}

/** Page number and navigation. */
function Pager({ page, pages, total, go }: PagerProps) {
  return (
    <div role="group" aria-label="Pages" className="ml-auto flex items-center gap-2 text-sm text-dim">
      <span>{`${countText(total)} ${total === 1 ? 'run' : 'runs'}, page ${countText(page)} of ${countText(pages)}`}</span>
      <Button size="small" disabled={page <= 1} onClick={() => go(page - 1)}>
        Newer
      </Button>
      <Button size="small" disabled={page >= pages} onClick={() => go(page + 1)}>
        Older
      </Button>
    </div>
  )
}
