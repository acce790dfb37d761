import { NO_LOG_FILTERS } from '../../logs/log-filters.ts'
import { LogViewer } from '../../logs/log-viewer.tsx'
import { useUrlState } from '../../router/use-url-state.ts'
import { EmptyState } from '../../ui/state/states.tsx'

const FILTERS = { level: '', q: '', spanId: '' }

const LOG_EXAMPLE = `execute: async ({ logger }) => logger.info('charging')`

/** The log records of a trace. */
export function TraceLogs({ traceId }: { readonly traceId: string }) {
  const [filters, set] = useUrlState(FILTERS)
  const filtered = Object.values(filters).some((value) => value !== '')
  return (
    <LogViewer
      filters={{ ...NO_LOG_FILTERS, ...filters, traceId }}
      set={({ level = filters.level, q = filters.q, spanId = filters.spanId }) => set({ level, q, spanId })}
      empty={
        filtered ? (
          <EmptyState title="No log records match these filters" />
        ) : (
          <EmptyState title="No log records" code={LOG_EXAMPLE}>
            Log records of steps, tools and agents are stored with their spans:
          </EmptyState>
        )
      }
    />
  )
}
