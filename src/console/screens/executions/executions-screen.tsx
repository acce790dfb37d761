import { useCallback } from 'react'
import type { ExecutionRecord } from '../../../contract/endpoints/execution.ts'
import { ApiError } from '../../../client/api-error.ts'
import { LazyChunk } from '../../router/lazy-chunk.ts'
import { useLazyCode } from '../../router/use-lazy-code.ts'
import { useServices } from '../../services/services-context.tsx'
import { useExecutions } from '../../executions/use-executions.ts'
import { useRangeStart } from '../../filters/time-range.ts'
import { PinnedBar } from '../../pins/pinned-bar.tsx'
import { useUrlState } from '../../router/use-url-state.ts'
import { Button } from '../../ui/controls/button.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { EmptyState } from '../../ui/state/states.tsx'
import { ExecutionFilters, NO_FILTERS } from './execution-filters.tsx'
import { useSelection } from './use-selection.tsx'

const CODE = new LazyChunk(() => import('./selection-bar.tsx'))

const RUN_EXAMPLE = `npx agentserver list workflows
npx agentserver run-workflow <id> --input '<json>'`
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
        title="Executions"
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
        label="Executions"
        columns={selection.columns}
        count={isRejected ? undefined : total}
        row={list.at}
        rowKey={({ id }) => id}
        onVisible={list.show}
        open={open}
        toggle={selection.toggle}
        error={error}
        retry={list.refetch}
        noun="execution"
        filtered={filtered}
        empty={
          <EmptyState title="No executions yet" code={RUN_EXAMPLE}>
            Run a workflow here, over HTTP or from the terminal:
          </EmptyState>
        }
      />
    </>
  )
}
