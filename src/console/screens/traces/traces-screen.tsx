import { useState } from 'react'
import { useServices } from '../../services/services-context.tsx'
import { ThisMachineOnly } from '../../live/this-machine-only.tsx'
import { useUrlState } from '../../router/use-url-state.ts'
import { Button } from '../../ui/controls/button.tsx'
import { countText } from '../../ui/time/format-time.ts'
import { ListView } from '../../ui/table/list-view.tsx'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { EmptyState } from '../../ui/state/states.tsx'
import { TRACE_COLUMNS } from './trace-columns.tsx'
import { TraceFilterBar } from './trace-filter-bar.tsx'
import { useRangeStart } from '../../filters/time-range.ts'
import { useTraces } from './use-traces.ts'
import type { TraceFilters } from './use-traces.ts'

const FILTERS: TraceFilters & { readonly last: string } = {
  agentId: '',
  workflowId: '',
  executionId: '',
  conversationId: '',
  userId: '',
  status: '',
  last: '',
  from: '',
  to: '',
  minDurationMs: '',
  q: '',
}

const RUN_EXAMPLE = `npx agentserver list workflows
npx agentserver run-workflow <id> --input '<json>'`

/** All traces, newest first, updated live. */
export function TracesScreen() {
  const { router } = useServices()
  const [filters, setFilters] = useUrlState(FILTERS)
  const { last, ...exact } = filters
  const list = useTraces({ ...exact, from: useRangeStart(last, filters.from) })
  const [visit, setVisit] = useState(0)
  const { traces } = list
  const showNewest = () => {
    list.showWaiting()
    // remounts the list, scrolled to the top
    setVisit(visit + 1)
  }
  return (
    <>
      <PageHeader
        title="Traces"
        aside={
          <>
            {traces !== undefined && (
              <span className="text-dim">
                {countText(traces.length)}
                {!list.isWhole && '+'}
              </span>
            )}
            <ThisMachineOnly />
          </>
        }
        actions={
          <span role="status">
            {list.waiting > 0 && (
              <Button size="small" onClick={showNewest}>
                {list.waiting === 1 ? '1 new trace' : `${countText(list.waiting)} new traces`}
              </Button>
            )}
          </span>
        }
      />
      <TraceFilterBar filters={filters} set={setFilters} />
      <ListView
        key={visit}
        label="Traces"
        columns={TRACE_COLUMNS}
        count={traces?.length}
        row={(index) => traces?.[index]}
        rowKey={({ traceId }) => traceId}
        onVisible={list.show}
        open={({ traceId }) => void router.navigate(`traces/${traceId}`)}
        error={list.error}
        retry={list.refetch}
        noun="trace"
        filtered={Object.values(filters).some((value) => value !== '')}
        empty={
          <EmptyState title="No traces yet" code={RUN_EXAMPLE}>
            Workflows, agents and tools are traced unless the configuration has{' '}
            <code className="font-mono">observability.enabled: false</code>. Run a workflow here, over HTTP or
            from the terminal:
          </EmptyState>
        }
      />
    </>
  )
}
