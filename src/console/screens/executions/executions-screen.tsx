import { useCallback } from 'react'
import type { ExecutionRecord } from '../../../contract/endpoints/execution.ts'
import { ApiError } from '../../../client/api-error.ts'
import { useLazyCode } from '../../router/use-lazy-code.ts'
import { useServices } from '../../services/services-context.tsx'
import { useExecutions } from '../../executions/use-executions.ts'
import { useUrlState } from '../../router/use-url-state.ts'
import { Button } from '../../ui/controls/button.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { EmptyState } from '../../ui/state/states.tsx'
import { ExecutionFilters, NO_FILTERS } from './execution-filters.tsx'
import { useSelection } from './use-selection.tsx'

const RUN_ONE = `npx agentserver list workflows
npx agentserver run-workflow <id> --input '{}'`
/** As many are taken into the selection at once. */
const MAX_SELECTED = 1000

/** All executions, newest first, as they happen. */
export function ExecutionsScreen() {
  const { router } = useServices()
  const [filters, setFilters] = useUrlState(NO_FILTERS)
  const list = useExecutions(filters)
  const { total, error } = list
  const shown = Array.from({ length: Math.min(total ?? 0, MAX_SELECTED) }, (_, index) => list.at(index))
  const here = shown.filter((record) => record !== undefined)
  const selection = useSelection((id) => here.find((record) => record.id === id))
  const { code } = useLazyCode(() => import('./selection-bar.tsx'))
  const filtered = Object.values(filters).some((value) => value !== '')
  const open = useCallback(
    ({ id }: ExecutionRecord) => void router.navigate(`executions/${encodeURIComponent(id)}`),
    [router],
  )
  const isRefused = error instanceof ApiError && error.status === 400
  return (
    <>
      <PageHeader
        title="Executions"
        count={total}
        actions={
          <>
            {here.length > 0 && <Button onClick={() => selection.select(here)}>Select all</Button>}
            <Button onClick={() => void router.navigate('executions/file/open')}>Open a file</Button>
          </>
        }
      />
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
        count={isRefused ? undefined : total}
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
          <EmptyState title="Nothing has run yet" code={RUN_ONE}>
            Run a workflow here, over HTTP, or from the terminal:
          </EmptyState>
        }
      />
    </>
  )
}
