import { NO_LOG_FILTERS } from '../../logs/log-filters.ts'
import { LogViewer } from '../../logs/log-viewer.tsx'
import { useUrlState } from '../../router/use-url-state.ts'
import { EmptyState } from '../../ui/state/states.tsx'

const FILTERS = { level: '', q: '', spanId: '' }

const LOG_SOMETHING = `execute: async ({ data, logger }) => {
  logger.info({ orderId: data.orderId }, 'charging')
  return data
}`

/** What was logged within a trace. */
export function TraceLogs({ traceId }: { readonly traceId: string }) {
  const [filters, set] = useUrlState(FILTERS)
  const filtered = Object.values(filters).some((value) => value !== '')
  return (
    <LogViewer
      filters={{ ...NO_LOG_FILTERS, ...filters, traceId }}
      set={({ level = filters.level, q = filters.q, spanId = filters.spanId }) => set({ level, q, spanId })}
      empty={
        filtered ? (
          <EmptyState title="No log record fits these filters" />
        ) : (
          <EmptyState title="Nothing was logged" code={LOG_SOMETHING}>
            What its steps, tools and agents log is kept with their spans:
          </EmptyState>
        )
      }
    />
  )
}
