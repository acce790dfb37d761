import { useCallback, useMemo } from 'react'
import { ApiError } from '../../../client/api-error.ts'
import type { ExecutionRecord } from '../../../contract/endpoints/execution.ts'
import { EXECUTION_COLUMNS } from '../../executions/execution-columns.tsx'
import { NoExecutions } from '../../executions/no-executions.tsx'
import { useExecutions } from '../../executions/use-executions.ts'
import { WorkflowFilter, ExecutionStatusFilter } from '../../filters/declared-filter.tsx'
import { FilterBar, FilterText, FilterChip, FilterRange, useRangeStart } from '../../filters/filter-bar.tsx'
import { PinnedBar } from '../../pins/pinned-bar.tsx'
import { LazyChunk, useLazyCode } from '../../router/lazy-chunk.ts'
import { useKeptState } from '../../router/use-kept-state.ts'
import { useUrlState } from '../../router/use-url-state.ts'
import { useServices } from '../../services/services-context.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import type { Column } from '../../ui/table/data-table.tsx'
import { ListView } from '../../ui/table/list-view.tsx'

const CODE = new LazyChunk(() => import('./selection-bar.tsx'))

/** Maximum number of executions selected by "Select all". */
const MAX_SELECTED = 1000

/** All executions, newest first, updated live. */
export function ExecutionsScreen() {
  const { router } = useServices()
  const [filters, setFilters] = useUrlState(NO_FILTERS)
  const { last, ...exact } = filters
  const list = useExecutions({ ...exact, from: useRangeStart(last, filters.from) })
  const { total, error } = list
  const rows = Array.from({ length: Math.min(total ?? 0, MAX_SELECTED) }, (_, index) => list.at(index))
  const loaded = rows.filter((record) => record !== undefined)
  const selection = useSelection((id) => loaded.find((record) => record.id === id))
  const { code } = useLazyCode(CODE)
  const filtered = Object.values(filters).some((value) => value !== '')
  const open = useCallback(
    ({ id }: ExecutionRecord) => void router.navigate(`executions/${encodeURIComponent(id)}`),
    [router],
  )
  const isRejected = error instanceof ApiError && error.status === 400
  return (
    <>
      <PageHeader
        title="Runs"
        count={total}
        actions={
          <>
            {loaded.length > 0 && <Button onClick={() => selection.select(loaded)}>Select all</Button>}
            <Button onClick={() => void router.navigate('executions/file/open')}>Open file</Button>
          </>
        }
      />
      <PinnedBar />
      <ExecutionFilters filters={filters} set={setFilters} />
      {code && selection.selected.length > 0 && (
        <code.SelectionBar
          selected={selection.selected}
          clear={() => selection.select([])}
          refetch={list.refetch}
        />
      )}
      <ListView
        label="Runs"
        columns={selection.columns}
        count={isRejected ? undefined : total}
        row={list.at}
        rowKey={({ id }) => id}
        onVisible={list.show}
        open={open}
        toggle={selection.toggle}
        error={error}
        retry={list.refetch}
        noun="run"
        filtered={filtered}
        empty={<NoExecutions />}
      />
    </>
  )
}

const NO_FILTERS = {
  q: '',
  workflowId: '',
  status: '',
  userId: '',
  conversationId: '',
  metadata: '',
  parentExecutionId: '',
  forkedFrom: '',
  failure: '',
  scheduleId: '',
  last: '',
  from: '',
  to: '',
}

interface ExecutionFiltersProps {
  readonly filters: typeof NO_FILTERS
  readonly set: (changes: Partial<typeof NO_FILTERS>) => void
}

/** The filters of the list of executions. */
function ExecutionFilters({ filters, set }: ExecutionFiltersProps) {
  return (
    <FilterBar>
      <FilterText label="Search" first value={filters.q} onChange={(q) => set({ q })} />
      <WorkflowFilter value={filters.workflowId} onChange={(workflowId) => set({ workflowId })} />
      <ExecutionStatusFilter value={filters.status} onChange={(status) => set({ status })} />
      <FilterText label="User" value={filters.userId} onChange={(userId) => set({ userId })} />
      <FilterText
        label="Conversation"
        value={filters.conversationId}
        onChange={(conversationId) => set({ conversationId })}
      />
      <FilterText
        label="Metadata: plan=pro"
        value={filters.metadata}
        onChange={(metadata) => set({ metadata })}
      />
      <FilterRange last={filters.last} from={filters.from} to={filters.to} onChange={set} />
      <FilterChip
        label="Parent"
        value={filters.parentExecutionId}
        remove={() => set({ parentExecutionId: '' })}
      />
      <FilterChip label="Replays of" value={filters.forkedFrom} remove={() => set({ forkedFrom: '' })} />
      <FilterChip label="Schedule" value={filters.scheduleId} remove={() => set({ scheduleId: '' })} />
      <FilterChip label="Failure" value={filters.failure} remove={() => set({ failure: '' })} />
    </FilterBar>
  )
}

interface Selection {
  readonly selected: readonly ExecutionRecord[]
  readonly toggle: (record: ExecutionRecord) => void
  readonly select: (records: readonly ExecutionRecord[]) => void
  /** The columns of the list, with a checkbox column. */
  readonly columns: readonly Column<ExecutionRecord>[]
}

/** The selected executions; `newest` returns the current record of one. */
function useSelection(newest: (id: string) => ExecutionRecord | undefined): Selection {
  const [records, select] = useKeptState<readonly ExecutionRecord[]>('selected executions', [])
  const toggle = useCallback((record: ExecutionRecord) => select(toggled(records, record)), [records, select])
  const columns = useMemo(() => {
    const ids = new Set(records.map(({ id }) => id))
    return [selectColumn(ids, toggle), ...EXECUTION_COLUMNS]
  }, [records, toggle])
  return { columns, selected: records.map((record) => newest(record.id) ?? record), toggle, select }
}

function toggled(old: readonly ExecutionRecord[], record: ExecutionRecord): readonly ExecutionRecord[] {
  const others = old.filter(({ id }) => id !== record.id)
  return others.length === old.length ? [...old, record] : others
}

function selectColumn(
  selected: ReadonlySet<string>,
  toggle: (record: ExecutionRecord) => void,
): Column<ExecutionRecord> {
  return {
    name: 'Selected',
    quiet: true,
    width: '1.5rem',
    cell: (record) => (
      <input
        type="checkbox"
        aria-label={`Select ${record.workflowId} ${record.id}`}
        tabIndex={-1}
        checked={selected.has(record.id)}
        onChange={() => toggle(record)}
        className="block size-4"
      />
    ),
  }
}
