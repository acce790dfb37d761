import { WAITING } from '../../../contract/wait-reasons.ts'
import { delay } from '../../../lib/clock.ts'
import { parseDuration } from '../../../lib/duration.ts'
import { WakeUp } from '../../../lib/async/wake-up.ts'
import type { StepRow } from '../../../store/execution-store.ts'
import type { AwaitedEvent } from '../../../workflow/definition.ts'
import { requireStored } from '../../record/commit.ts'
import { stepStarted } from '../../record/execution-events.ts'
import type { DurableRecord } from '../../record/execution-record.ts'
import { startedRow } from '../../record/step-rows.ts'
import type { StepTask, SuspendRequest } from '../step-task.ts'
import { EventTimeoutError, StepFailure, SuspendSignal, storedError } from '../errors.ts'
import { untilBoundary } from './attempt.ts'
import type { WaitDeps } from './attempt.ts'
import type { RunActivity } from './run-activity.ts'

/** An event for a step. `data` is JSON text, as the schema of the step has parsed it. */
export interface FoundEvent {
  readonly id: string
  readonly data: string
}

/** The oldest event that a step can take, and its execution has not taken; `undefined` when none has come. */
export type FindEvent = (step: StepRow) => Promise<FoundEvent | undefined>

interface Waiter extends StepTask, WaitDeps {
  readonly activity: RunActivity
  readonly findEvent: FindEvent
  ownResumeSchema(): Pick<SuspendRequest, 'resumeSchema'>
  parseResumeData(data: string): Promise<string>
  checkpoint(): void
  guard<T>(body: () => Promise<T>): Promise<T>
  complete(row: StepRow, output: string): string
  fail(row: StepRow, error: unknown): never
}

interface Wait {
  readonly awaited: AwaitedEvent
  /** Called once. */
  readonly key: () => Promise<string | null>
}

/**
 * Waits for an event: in this process while other branches of the execution do something, else suspended. The wait is
 * stored before the events are looked at, and a sender stores the event before it looks at the waits: one of them finds
 * the other.
 */
export async function runWaitForEvent(waiter: Waiter, wait: Wait): Promise<string> {
  const { record } = waiter
  const before = record.steps.get(waiter.path)
  if (before?.status === 'completed') return before.output ?? 'null'
  if (before?.status === 'error') throw new StepFailure(storedError(before.error))
  waiter.checkpoint()
  const row = before && before.event !== null ? before : await beginWait(waiter, wait)
  const running: StepRow = { ...row, status: 'running', attempts: 1 }
  if (row.resumes === 0) return waitForOne(waiter, { row: running, wait })
  return row.timedOut ? timeOut(waiter, running, wait) : take(waiter, running, row.resumeData ?? 'null')
}

async function take(waiter: Waiter, row: StepRow, data: string): Promise<string> {
  try {
    return waiter.complete(row, await waiter.parseResumeData(data))
  } catch (error) {
    return waiter.fail(row, error)
  }
}

async function beginWait(waiter: Waiter, { awaited, key }: Wait): Promise<StepRow> {
  const { record } = waiter
  const row = startedRow(waiter, record.now(), record.steps.get(waiter.path))
  record.stage({ step: row, events: [stepStarted(waiter, row.attempts)] })
  try {
    const eventKey = await waiter.guard(key)
    const timeoutMs = parseDuration(awaited.timeout)
    const wakeAt = timeoutMs === undefined ? null : row.startedAt + timeoutMs
    const own = waiter.ownResumeSchema()
    const suspendData = own.resumeSchema
      ? JSON.stringify({ reason: WAITING, data: null, ...own } satisfies SuspendRequest)
      : null
    const waiting = { ...row, event: awaited.event, eventKey, wakeAt, suspendData }
    record.stage({ step: waiting })
    return waiting
  } catch (error) {
    return waiter.fail(row, error)
  }
}

async function waitForOne(
  waiter: Waiter,
  { row, wait }: { readonly row: StepRow; readonly wait: Wait },
): Promise<string> {
  const { record, activity, waits } = waiter
  requireStored(await record.commit())
  const wakeUp = new WakeUp()
  waits.add(wakeUp.notify)
  try {
    for (;;) {
      const found = await waiter.findEvent(row)
      waiter.checkpoint()
      // another branch may have taken it meanwhile
      if (found && isTaken(record, found)) continue
      if (found) return await take(waiter, { ...row, eventId: found.id }, found.data)
      if (row.wakeAt !== null && row.wakeAt <= record.now()) return timeOut(waiter, row, wait)
      const timer = new AbortController()
      const next = untilNext(waiter, wakeUp, { wakeAt: row.wakeAt, signal: timer.signal })
      try {
        if ((await activity.wait(next)) === 'happened') continue
      } finally {
        // a suspended execution keeps no timer
        timer.abort()
      }
      next.catch(() => undefined)
      record.stage({ step: { ...row, status: 'suspended' } })
      const { wakeAt, event, eventKey } = row
      throw new SuspendSignal(waiter, {
        reason: WAITING,
        data: null,
        ...waiter.ownResumeSchema(),
        ...(wakeAt !== null && { wakeAt }),
        ...(event !== null && { event }),
        ...(eventKey !== null && { key: eventKey }),
      })
    }
  } finally {
    waits.delete(wakeUp.notify)
  }
}

/** Waits until an event may have come, the time is over, or the run is asked to stop. */
function untilNext(
  { record, scope }: Waiter,
  wakeUp: WakeUp,
  { wakeAt, signal }: { readonly wakeAt: number | null; readonly signal: AbortSignal },
): Promise<void> {
  const ends = [wakeUp.wait()]
  if (wakeAt !== null) ends.push(delay(wakeAt - record.now(), signal).catch(() => undefined))
  return untilBoundary(Promise.race(ends), record, scope)
}

function isTaken({ steps }: DurableRecord, { id }: FoundEvent): boolean {
  return [...steps.values()].some(({ eventId }) => eventId === id)
}

function timeOut(waiter: Waiter, row: StepRow, { awaited }: Wait): string {
  if (awaited.onTimeout === 'continue')
    return waiter.complete({ ...row, timedOut: true }, JSON.stringify({ timedOut: true }))
  return waiter.fail(row, new EventTimeoutError(awaited.event, awaited.timeout))
}
