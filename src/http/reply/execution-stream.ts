import type { ExecutionError } from '../../contract/event.ts'
import type { FollowOptions } from '../../engine/executions/queries.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import type { Services } from '../services.ts'
import type { EventStream, OutgoingEvent } from './reply.ts'

interface ExecutionStreamOptions extends Pick<FollowOptions, 'after' | 'until'> {
  /** `contract`: the recorded events only. */
  readonly include: 'contract' | undefined
  /** Whether errors have their stacks, which are for developers: on routes of users they have none. */
  readonly stacks: boolean
}

/** Streams the events of an execution. */
export function executionStream(
  services: Services,
  row: ExecutionRow,
  { stacks, include, ...options }: ExecutionStreamOptions,
): EventStream {
  const abort = new AbortController()
  const events = services.current().engine.queries.follow(row, {
    ...options,
    live: include === undefined,
    signal: abort.signal,
  })
  return { events: stacks ? events : withoutStacks(events), abort }
}

async function* withoutStacks(events: AsyncGenerator<OutgoingEvent>): AsyncGenerator<OutgoingEvent> {
  for await (const event of events) yield MAY_HAVE_STACK.test(event.data) ? withoutStack(event) : event
}

const MAY_HAVE_STACK = /^\{"type":"(?:step-error|workflow-error|workflow-result)".*"(?:stack|location)":/s

function withoutStack(event: OutgoingEvent): OutgoingEvent {
  const { error, ...rest } = JSON.parse(event.data) as { readonly error?: ExecutionError }
  return { ...event, data: JSON.stringify({ ...rest, ...(error && { error: visible(error) }) }) }
}

/** An error and its causes without their stacks and source. */
function visible({ stack: _, location: __, cause, ...error }: ExecutionError): ExecutionError {
  return { ...error, ...(cause !== undefined && { cause: visible(cause as ExecutionError) }) }
}

/** The last event a client has seen. The `Last-Event-ID` header, which browsers send, wins over `?after=`. */
export function lastEventId(headers: Headers, after: string | undefined): number {
  const id = headers.get('last-event-id') ?? after ?? '0'
  return /^\d{1,15}$/.test(id) ? Number(id) : 0
}
