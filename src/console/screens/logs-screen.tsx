import { AgentFilter, WorkflowFilter } from '../filters/declared-filter.tsx'
import { NO_LOG_FILTERS } from '../logs/log-filters.ts'
import { LogViewer } from '../logs/log-viewer.tsx'
import { ThisMachineOnly } from '../live/this-machine-only.tsx'
import { useUrlState } from '../router/use-url-state.ts'
import { FilterText, MoreFilters, FilterRange, useRangeStart } from '../filters/filter-bar.tsx'
import { PageHeader } from '../ui/layout/page-header.tsx'
import { EmptyState } from '../ui/state/states.tsx'

const MORE = ['workflowId', 'agentId', 'traceId', 'spanId', 'executionId'] as const
/** The filters of the API, and a relative range. */
const FILTERS = { ...NO_LOG_FILTERS, last: '' }

const LOG_EXAMPLE = `execute: async ({ data, logger }) => {
  logger.info({ orderId: data.orderId }, 'charging')
  return data
}`

/** The log of the server and the project, updated live. */
export function LogsScreen() {
  const [chosen, set] = useUrlState(FILTERS)
  const { last, ...exact } = chosen
  const filters = { ...exact, since: useRangeStart(last, chosen.since) }
  const filtered = Object.values(chosen).some((value) => value !== '')
  return (
    <>
      <PageHeader title="Logs" aside={<ThisMachineOnly />} />
      <LogViewer
        filters={filters}
        set={set}
        narrow={(name, value) => set({ [name]: value })}
        empty={
          filtered ? (
            <EmptyState title="No log records match these filters" />
          ) : (
            <EmptyState title="No log records yet" code={LOG_EXAMPLE}>
              Steps, tools and agents have a logger; its records are shown here:
            </EmptyState>
          )
        }
      >
        <FilterRange
          last={last}
          from={chosen.since}
          to={chosen.until}
          onChange={({ last: range, from, to }) => set({ last: range, since: from, until: to })}
        />
        <MoreFilters set={MORE.filter((name) => filters[name] !== '').length}>
          <WorkflowFilter value={filters.workflowId} onChange={(workflowId) => set({ workflowId })} />
          <AgentFilter value={filters.agentId} onChange={(agentId) => set({ agentId })} />
          <FilterText label="Request" value={filters.traceId} onChange={(traceId) => set({ traceId })} />
          <FilterText label="Span" value={filters.spanId} onChange={(spanId) => set({ spanId })} />
          <FilterText
            label="Run"
            value={filters.executionId}
            onChange={(executionId) => set({ executionId })}
          />
        </MoreFilters>
      </LogViewer>
    </>
  )
}
