import { useEffect, useMemo, useSyncExternalStore } from 'react'
import type { LogRecord } from '../../contract/endpoints/log.ts'
import { useServices } from '../services/services-context.tsx'
import { useTopic } from '../live/use-topic.ts'
import { serverClock } from '../ui/time/server-clock.ts'
import { logFilter, queryOf } from './log-filters.ts'
import type { LogFilters } from './log-filters.ts'
import { LogTail } from './log-tail.ts'
import type { LogView } from './log-tail.ts'

/** The end of the filtered log, updated live. */
export function useLogTail(filters: LogFilters, grouped: boolean): { tail: LogTail; view: LogView } {
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
