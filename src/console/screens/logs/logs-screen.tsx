import { AgentFilter, WorkflowFilter } from '../../filters/declared-filter.tsx'
import { NO_LOG_FILTERS } from '../../logs/log-filters.ts'
import { LogViewer } from '../../logs/log-viewer.tsx'
import { ThisMachineOnly } from '../../live/this-machine-only.tsx'
import { useUrlState } from '../../router/use-url-state.ts'
import { FilterText } from '../../filters/filter-bar.tsx'
import { FilterTime } from '../../filters/filter-time.tsx'
import { MoreFilters } from '../../filters/more-filters.tsx'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { EmptyState } from '../../ui/state/states.tsx'

const MORE = ['workflowId', 'agentId', 'traceId', 'spanId', 'executionId', 'since', 'until'] as const

const LOG_EXAMPLE = `execute: async ({ data, logger }) => {
  logger.info({ orderId: data.orderId }, 'charging')
  return data
}`

/** The log of the server and the project, updated live. */
export function LogsScreen() {
  const [filters, set] = useUrlState(NO_LOG_FILTERS)
  const filtered = Object.values(filters).some((value) => value !== '')
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
        <MoreFilters set={MORE.filter((name) => filters[name] !== '').length}>
          <WorkflowFilter value={filters.workflowId} onChange={(workflowId) => set({ workflowId })} />
          <AgentFilter value={filters.agentId} onChange={(agentId) => set({ agentId })} />
          <FilterText label="Trace" value={filters.traceId} onChange={(traceId) => set({ traceId })} />
          <FilterText label="Span" value={filters.spanId} onChange={(spanId) => set({ spanId })} />
          <FilterText
            label="Execution"
            value={filters.executionId}
            onChange={(executionId) => set({ executionId })}
          />
          <FilterTime label="Since" value={filters.since} onChange={(since) => set({ since })} />
          <FilterTime label="Until" value={filters.until} onChange={(until) => set({ until })} />
        </MoreFilters>
      </LogViewer>
    </>
  )
}
