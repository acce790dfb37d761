import type { ReactNode } from 'react'
import { useEffect, useMemo, useSyncExternalStore, useState } from 'react'
import type { LogRecord } from '../../contract/endpoints/log.ts'
import { useEndpoint } from '../api/use-endpoint.ts'
import { FilterBar, FilterSelect, FilterText } from '../filters/filter-bar.tsx'
import { useTopic } from '../live/use-topic.ts'
import { useSettledState, useUrlState } from '../router/use-url-state.ts'
import { useServices } from '../services/services-context.tsx'
import { CopyButton } from '../ui/controls/button.tsx'
import { oneLine } from '../ui/escape-text.ts'
import { SidePanel, WithPanel } from '../ui/layout/side-panel.tsx'
import { ErrorState } from '../ui/state/error-view.tsx'
import { LogLevelMark } from '../ui/state/status-badge.tsx'
import { Loading } from '../ui/state/states.tsx'
import { countText } from '../ui/time/format-time.ts'
import { serverClock } from '../ui/time/use-now.ts'
import { LEVELS, logFilter, queryOf } from './log-filters.ts'
import type { LogFilters } from './log-filters.ts'
import { LogList } from './log-list.tsx'
import { LogDetails } from './log-details.tsx'
import type { LogDetailsProps } from './log-details.tsx'
import { MAX_LOADED_LINES, LogTail } from './log-tail.ts'
import type { LogView } from './log-tail.ts'
import { LogToolbar } from './log-toolbar.tsx'

export interface LogViewerProps extends Pick<LogDetailsProps, 'narrow'> {
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
            <SidePanel
              key={record.id}
              title={record.message === '' ? 'Log record' : oneLine(record.message, 200)}
              close={() => choose('')}
              aside={<LogLevelMark level={record.level} />}
              actions={
                <CopyButton text={() => JSON.stringify(record, null, 2)} label="Copy record as JSON" />
              }
            >
              <LogDetails record={record} {...(narrow && { narrow })} />
            </SidePanel>
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

/** The end of the filtered log, updated live. */
function useLogTail(filters: LogFilters, grouped: boolean): { tail: LogTail; view: LogView } {
  const { api } = useServices()
  const signature = JSON.stringify([filters, grouped])
  const tail = useMemo(
    () =>
      new LogTail({
        grouped,
        matches: logFilter(filters),
        fetchPage: async ({ limit, before }) => {
          const query = { ...queryOf(filters), limit: String(limit), ...(before && { cursor: before }) }
          const { data, headers } = await api.request('listLogs', { query })
          return { records: data, hasOlder: headers.has('x-next-cursor') }
        },
        onFrame: (draw) => {
          const frame = requestAnimationFrame(draw)
          return () => cancelAnimationFrame(frame)
        },
      }),
    [api, signature],
  )
  useEffect(() => {
    void tail.start()
    return () => tail.stop()
  }, [tail])
  const isPast = Date.parse(filters.until) < serverClock.now()
  useTopic(isPast ? undefined : 'logs', {
    onFrame: ({ data }) => tail.add(data as LogRecord),
    onResync: () => void tail.catchUp(),
  })
  const view = useSyncExternalStore(tail.watch, tail.view)
  return { tail, view }
}

/** A record by its id: a loaded one, or fetched. */
function useLogRecord(id: string, known: LogRecord | undefined): LogRecord | undefined {
  const isId = /^\d{1,15}$/.test(id)
  const cursor = isId ? String(BigInt(id) + 1n) : '0'
  const { data } = useEndpoint(
    'listLogs',
    { query: { limit: '1', cursor } },
    { enabled: isId && known === undefined },
  )
  if (id === '') return undefined
  return known ?? data?.find((record) => record.id === id)
}

const NAME = 'agentserver.log-wrap'

/** Whether lines of the log wrap, kept in this browser. */
function useWrap(): [boolean, (wraps: boolean) => void] {
  const [wraps, setWraps] = useState(() => localStorage.getItem(NAME) === 'true')
  const choose = (next: boolean) => {
    localStorage.setItem(NAME, String(next))
    setWraps(next)
  }
  return [wraps, choose]
}
