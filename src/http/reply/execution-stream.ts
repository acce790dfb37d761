import type { FollowOptions } from '../../engine/executions/queries.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import type { Services } from '../services.ts'
import type { EventStream } from './reply.ts'

/** Streams the events of an execution. */
export function executionStream(
  services: Services,
  row: ExecutionRow,
  options: Pick<FollowOptions, 'after' | 'until'>,
): EventStream {
  const abort = new AbortController()
  const events = services.current().engine.queries.follow(row, { ...options, signal: abort.signal })
  return { events, abort }
}

/** The last event a client has seen. The `Last-Event-ID` header, which browsers send, wins over `?after=`. */
export function lastEventId(headers: Headers, after: string | undefined): number {
  const id = headers.get('last-event-id') ?? after ?? '0'
  return /^\d{1,15}$/.test(id) ? Number(id) : 0
}
