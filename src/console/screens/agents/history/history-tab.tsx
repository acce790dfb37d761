import { useEffect } from 'react'
import { useServices } from '../../../services/services-context.tsx'
import { curlCode } from '../../../code/curl-code.ts'
import { credentialFor } from '../../../code/request-code.ts'
import { useUrlState } from '../../../router/use-url-state.ts'
import { useCopyKeys } from '../../../keys/use-copy-keys.ts'
import { useKeys } from '../../../keys/use-keys.ts'
import { FilterBar, FilterText } from '../../../filters/filter-bar.tsx'
import { StatusFilter } from '../../../filters/status-filter.tsx'
import { ListView } from '../../../ui/table/list-view.tsx'
import { EmptyState } from '../../../ui/state/states.tsx'
import { Pager } from './pager.tsx'
import { RUN_COLUMNS } from './run-columns.tsx'
import { RunDetail } from './run-detail.tsx'
import { PAGE_SIZE, useHistory } from './use-history.ts'

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
      <div className="flex min-h-0 flex-1">
        <div className="flex min-w-0 flex-1 flex-col">
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
