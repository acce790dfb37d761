import { openTo } from '../registry.ts'
import { createHash } from 'node:crypto'
import { idOfUser, userKey } from '../../contract/access/user-key.ts'
import type { EventResult } from '../../contract/endpoints/workflow.ts'
import { AppError } from '../../lib/errors.ts'
import { toJson } from '../../lib/json/to-json.ts'
import { formatIssues } from '../../lib/schema/schema.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { JobResult } from '../../store/dispatcher.ts'
import type { NumberedEvent, SentEventRow, WaitingStep } from '../../store/event-store.ts'
import { cancelWithChildren } from '../executions/cancel.ts'
import type { CommandDeps } from '../executions/live-runs.ts'
import type { EventToSend } from '../../step/event-to-send.ts'
import { JOB_DELAY_MS, startAll, startsOfEvent } from './event-starts.ts'
import type { EventStarts, SendDeps } from './event-starts.ts'
import { isCancelPath } from './cancel-waits.ts'
import { isReceiver } from './find-event.ts'
import { isUser, mayCause, senderOf } from './senders.ts'
import type { EventSender } from './senders.ts'
import { takeEvents } from './take-events.ts'

export interface SendOptions {
  /** Who sent it. Default: the project's code. */
  readonly sender?: EventSender | undefined
  /** The span that requested it. */
  readonly trace?: TraceScope | undefined
  /** Called with the ids of executions that the event has cancelled. */
  readonly onCancelled?: ((id: string) => void) | undefined
}

/** Executions that are continued at the same time. */
const MAX_AT_ONCE = 50

/**
 * Stores an event, starts the workflows that it starts, and continues or cancels the executions that wait for it. An event with a
 * known id is delivered again to those that have not got it, and starts nothing.
 *
 * @throws AppError `invalid_input` when the data does not match the schema of a step that waits for it: nothing is stored.
 */
export async function acceptEvent(
  deps: SendDeps,
  { name, key, data, id: eventId = deps.newId() }: EventToSend,
  { sender, trace, onCancelled }: SendOptions,
): Promise<EventResult> {
  const { store, clock } = deps
  const id = storedId(eventId, sender)
  const sent: SentEventRow = {
    id,
    name,
    key: key ?? null,
    data: toJson(data ?? null, 'data'),
    at: clock.now(),
    sender: sender ? toJson(sender, 'user') : null,
    misfits: null,
  }
  const known = await store.events.get(id)
  if (!known) await checkData(deps, sent)
  const { starts, misfits } = known ? NOTHING_STARTS : await startsOfEvent(deps, sent)
  const delivery = { key: jobKey(id), job: { kind: 'event', id }, at: sent.at + JOB_DELAY_MS } as const
  const { event, isNew } = await store.events.insert(
    { ...sent, misfits: misfits.length > 0 ? JSON.stringify(misfits) : null },
    [delivery, ...starts],
  )
  const { resumed, cancelled, isDone } = await deliver(deps, event, {
    trace,
    isNew: !known,
    isFirst: isNew,
    onCancelled,
  })
  if (isDone) await store.dispatcher.change({ drop: [jobKey(id)] })
  const started = isNew ? await startAll(deps, starts, trace) : []
  return { eventId, resumed: [...resumed], started, cancelled: [...cancelled] }
}

const NOTHING_STARTS: EventStarts = { starts: [], misfits: [] }

/** Does the job of an event: delivers it if its sender could not. */
export async function deliverLater(
  deps: CommandDeps,
  id: string,
  { onCancelled }: Pick<SendOptions, 'onCancelled'>,
): Promise<JobResult> {
  const event = await deps.store.events.get(id)
  if (!event) return 'done'
  const { isDone } = await deliver(deps, event, { isNew: true, isFirst: false, onCancelled })
  return isDone ? 'done' : 'later'
}

/**
 * Ids of events are unique per sender, so that a user who guesses the id of another event can't take its place. A space
 * is no part of an id.
 */
function storedId(id: string, sender: EventSender | undefined): string {
  if (!sender || !isUser(sender)) return id
  const key = sender.user ? userKey(sender.user) : ''
  return `${id} ${createHash('sha256').update(key).digest('base64url')}`
}

function jobKey(id: string): string {
  return `event:${id}`
}

interface DeliverOptions extends Pick<SendOptions, 'trace' | 'onCancelled'> {
  /** Whether no execution has got it before. */
  readonly isNew: boolean
  /** Whether it was stored now. */
  readonly isFirst: boolean
}

interface Delivery {
  /** Ids of the executions that continue with the event. */
  readonly resumed: readonly string[]
  /** Ids of the executions that it has cancelled. */
  readonly cancelled: readonly string[]
  /** Whether no execution is left that will take it. */
  readonly isDone: boolean
}

async function deliver(
  deps: CommandDeps,
  event: NumberedEvent,
  { trace, isNew, isFirst, onCancelled }: DeliverOptions,
): Promise<Delivery> {
  const { store, runs, logger } = deps
  const waiting = await store.events.waiting(event)
  const steps = await receivers(deps, event, waiting)
  const ids = [...new Set(steps.map(({ executionId }) => executionId))]
  const resumed: string[] = []
  const elsewhere: string[] = []
  let isDone = true
  const deliverTo = async (id: string) => {
    try {
      const before = isNew ? [] : await takenBy(deps, id)
      const { state, ids: taken } = await takeEvents(deps, id, trace)
      const isRunning = state === 'running' && !taken.includes(event.id)
      if (isRunning || (taken.includes(event.id) && !before.includes(event.id))) resumed.push(id)
      if (state === 'no workflow' || isRunning) isDone = false
      if (!isRunning) return
      const run = runs.get(id)
      if (run) run.wake()
      else elsewhere.push(id)
    } catch (err) {
      // the event is stored, and its job tries again
      isDone = false
      logger.warn(
        { err, executionId: id, eventId: event.id },
        'An event could not be delivered; this is tried again',
      )
    }
  }
  for (let from = 0; from < ids.length; from += MAX_AT_ONCE)
    await Promise.all(ids.slice(from, from + MAX_AT_ONCE).map((id) => deliverTo(id)))
  if (elsewhere.length > 0) store.changes.announce(elsewhere)
  const cancelled: string[] = []
  for (const { executionId } of await toCancel(deps, event, { waiting, isFirst })) {
    const done = await cancelByEvent(deps, event, executionId)
    isDone &&= done !== 'later'
    if (done !== 'cancelled') continue
    cancelled.push(executionId)
    onCancelled?.(executionId)
  }
  return { resumed: resumed.toSorted((a, b) => ids.indexOf(a) - ids.indexOf(b)), cancelled, isDone }
}

/** The executions that an event cancels, and its sender may cancel. */
async function toCancel(
  { mayReceive }: CommandDeps,
  event: SentEventRow,
  { waiting, isFirst }: { readonly waiting: readonly WaitingStep[]; readonly isFirst: boolean },
): Promise<readonly WaitingStep[]> {
  const found: WaitingStep[] = []
  for (const wait of waiting) {
    const { executionId: id, owner, workflowId, path, since } = wait
    // one that was sent again is older than executions that have started meanwhile
    if (!isCancelPath(path) || (!isFirst && since > event.at)) continue
    const allows = (sender: EventSender) => mayReceive(sender, { id, owner, workflowId }, 'cancel')
    if (await mayCause(senderOf(event), 'users', allows)) found.push(wait)
  }
  return found
}

async function cancelByEvent(
  deps: CommandDeps,
  event: SentEventRow,
  executionId: string,
): Promise<'cancelled' | 'ended' | 'later'> {
  const by = idOfUser(senderOf(event)?.user)
  const ids = { executionId, eventId: event.id }
  try {
    const request = { reason: `Event "${event.name}"`, by, eventId: event.id }
    if (!(await cancelWithChildren(deps, executionId, request))) return 'ended'
    deps.logger.info({ ...ids, cancelledBy: by }, 'Execution cancelled by an event')
    return 'cancelled'
  } catch (err) {
    deps.logger.warn({ err, ...ids }, 'An event could not cancel an execution; this is tried again')
    return 'later'
  }
}

async function takenBy({ store }: CommandDeps, id: string): Promise<readonly string[]> {
  return (await store.executions.steps(id)).flatMap(({ eventId }) => eventId ?? [])
}

/** The steps that wait for an event, and may get it from its sender. */
async function receivers(
  deps: CommandDeps,
  event: SentEventRow,
  waiting: readonly WaitingStep[],
): Promise<readonly WaitingStep[]> {
  const steps = waiting.filter(({ path }) => !isCancelPath(path))
  if (event.sender === null) return steps
  const registry = deps.registry()
  const found: WaitingStep[] = []
  for (const wait of steps) {
    const { executionId: id, owner, workflowId, path } = wait
    const wanted = {
      execution: { id, owner, workflowId },
      openTo: openTo(registry.find(workflowId), { path }),
    }
    if (await isReceiver(deps, event, wanted)) found.push(wait)
  }
  return found
}

/** @throws AppError `invalid_input` */
async function checkData(deps: CommandDeps, event: SentEventRow): Promise<void> {
  const registry = deps.registry()
  const value = JSON.parse(event.data) as unknown
  const waiting = await deps.store.events.waiting(event)
  for (const { workflowId, executionId, path } of await receivers(deps, event, waiting)) {
    const workflow = registry.find(workflowId)
    const place = workflow?.placeAt(path)
    const checked = place && (await workflow?.schemasOf(place.step).resume?.validate(value))
    if (checked && !checked.ok)
      throw new AppError(
        'invalid_input',
        `Event data validation failed: ${formatIssues(checked.issues, 'data')} (step "${place.step.id}" of execution ${executionId})`,
      )
  }
}
