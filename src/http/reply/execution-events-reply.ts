import type { FollowOptions } from '../../engine/executions/queries.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import type { EventStream } from './reply.ts'
import type { Services } from '../services.ts'

/** The events of an execution as a reply. */
export function eventsOf(
  services: Services,
  row: ExecutionRow,
  options: Pick<FollowOptions, 'after' | 'until'>,
): EventStream {
  const abort = new AbortController()
  const events = services.served().engine.queries.follow(row, { ...options, signal: abort.signal })
  return { events, abort }
}

/** Where a reader left off: the header that browsers send by themselves wins over the query. */
export function lastEventId(headers: Headers, after: string | undefined): number {
  const given = headers.get('last-event-id') ?? after ?? '0'
  return /^\d{1,15}$/.test(given) ? Number(given) : 0
}
