import type { ReactNode } from 'react'
import { useUrlState } from '../router/use-url-state.ts'
import { useSettledState } from '../router/use-settled-state.ts'
import { ErrorState } from '../ui/state/error-state.tsx'
import { FilterBar, FilterSelect, FilterText } from '../filters/filter-bar.tsx'
import { Loading } from '../ui/state/states.tsx'
import { countText } from '../ui/time/format-time.ts'
import { WithPanel } from '../ui/layout/with-panel.tsx'
import { LEVELS } from './log-filters.ts'
import type { LogFilters } from './log-filters.ts'
import { LogList } from './log-list.tsx'
import { LogPanel } from './log-panel.tsx'
import type { LogPanelProps } from './log-panel.tsx'
import { MAX_LOADED_LINES } from './log-tail.ts'
import { LogToolbar } from './log-toolbar.tsx'
import { useLogRecord } from './use-log-record.ts'
import { useLogTail } from './use-log-tail.ts'
import { useWrap } from './use-wrap.ts'

export interface LogViewerProps extends Pick<LogPanelProps, 'narrow'> {
  readonly filters: LogFilters
  readonly set: (changes: Partial<LogFilters>) => void
  /** More filters. */
  readonly children?: ReactNode
  /** Shown when there are no records. */
  readonly empty: ReactNode
}

const VIEW = { group: '' }

/** The filtered log, updated live, with the details of the selected record. */
export function LogViewer({ filters, set, children, empty, narrow }: LogViewerProps) {
  const [{ group }, setView] = useUrlState(VIEW)
  const grouped = group === 'repeats'
  const { tail, view } = useLogTail(filters, grouped)
  const [wraps, wrap] = useWrap()
  const { value: chosen, choose, settled } = useSettledState('log')
  const { lines, error, hasOlder } = view
  const record = useLogRecord(settled, lines?.find((line) => line.record.id === settled)?.record)
  const oldest = lines?.[0]?.record
  return (
    <>
      <FilterBar>
        <FilterSelect
          label="Level"
          value={filters.level}
          options={LEVELS}
          onChange={(level) => set({ level })}
        />
        <FilterText label="Search" first value={filters.q} onChange={(q) => set({ q })} />
        {children}
        <LogToolbar
          filters={filters}
          tail={tail}
          view={view}
          wraps={wraps}
          wrap={wrap}
          grouped={grouped}
          group={(on) => setView({ group: on ? 'repeats' : '' })}
        />
      </FilterBar>
      <WithPanel
        panel={
          chosen !== '' &&
          record && (
            <LogPanel key={record.id} record={record} close={() => choose('')} {...(narrow && { narrow })} />
          )
        }
      >
        {error !== undefined && <ErrorState error={error} retry={() => void tail.catchUp()} />}
        {lines === undefined ? (
          error === undefined && <Loading />
        ) : lines.length === 0 ? (
          error === undefined && empty
        ) : (
          <>
            {hasOlder && lines.length >= MAX_LOADED_LINES && oldest && (
              <p className="px-4 py-1 text-sm text-dim">
                The list shows at most {countText(MAX_LOADED_LINES)} lines.{' '}
                <button
                  type="button"
                  className="text-accent hover:underline"
                  onClick={() => set({ until: oldest.timestamp })}
                >
                  Show older records
                </button>
              </p>
            )}
            <LogList
              key={JSON.stringify([filters, grouped, wraps])}
              wraps={wraps}
              label="Log"
              tail={tail}
              view={view}
              chosen={chosen}
              choose={choose}
            />
          </>
        )}
      </WithPanel>
    </>
  )
}
