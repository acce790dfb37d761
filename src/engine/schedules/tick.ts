import { isFinal } from '../../contract/is-final.ts'
import { toIso } from '../../lib/clock.ts'
import type { JobResult } from '../../store/dispatcher.ts'
import type { ScheduleRow } from '../../store/schedule-store.ts'
import { instantsBetween, newestInstants } from '../../workflow/schedule/instants.ts'
import type { Schedule } from '../../workflow/schedule/schedule.ts'
import type { CommandDeps } from '../executions/live-runs.ts'
import { changeSchedule, executionIdAt, jobsOf } from './schedule-state.ts'
import type { ScheduleChange } from './schedule-state.ts'
import { existingAt, startAt } from './start-at.ts'
import type { InstantStart } from './start-at.ts'

/** Instants that wait for the execution before them. */
const MAX_WAITING = 1000

export interface TickDeps extends CommandDeps {
  /** When this server started. */
  readonly startedAt: number
}

/** What the instants of a tick have changed so far. */
interface Progress {
  readonly waiting: number[]
  tickAt: number | null
  last: Pick<ScheduleRow, 'lastExecutionId' | 'lastAt'>
}

/**
 * Starts the executions of the due instants and stores the job of the next one. A server that ends before the latter does the
 * same again: an instant has one execution.
 */
export async function tick(
  deps: TickDeps,
  { schedule: id, at }: { readonly schedule: string; readonly at: number | null },
): Promise<JobResult> {
  let result: JobResult = 'done'
  await changeSchedule(deps.store, id, async (row) => {
    result = 'done'
    if (row.revision === 0 || row.paused || (at !== null && row.nextAt !== at)) return undefined
    const schedule = deps.registry().findSchedule(id)
    // another server has a configuration with it
    if (!schedule || (at !== null && schedule.rule !== row.rule)) {
      result = 'later'
      return undefined
    }
    if (at !== null) return startDue(deps, { schedule, row, at })
    const change = await startWaiting(deps, row)
    if (!change && row.waiting.length > 0) result = 'later'
    return change
  })
  return result
}

async function startDue(
  deps: TickDeps,
  { schedule, row, at }: { readonly schedule: Schedule; readonly row: ScheduleRow; readonly at: number },
): Promise<ScheduleChange> {
  const { clock, startedAt } = deps
  const now = Math.max(clock.now(), at)
  const due = await dueInstants(schedule, { from: at, now, startedAt })
  if (due.anyMissed) logMissed(deps, { schedule, from: at, due })
  const progress: Progress = { waiting: [...row.waiting], tickAt: row.tickAt, last: row }
  if (schedule.overlap === 'allow') await startAll(deps, { schedule, due, progress })
  else await startInOrder(deps, { schedule, due, progress, at })
  const nextAt = schedule.instants.next(now) ?? null
  const { waiting, tickAt, last } = progress
  const { lastExecutionId, lastAt } = last
  return {
    set: { nextAt, waiting, tickAt, lastExecutionId, lastAt },
    jobs: jobsOf(schedule.id, nextAt, waiting.length > row.waiting.length ? waiting : []),
  }
}

interface DueTick {
  readonly schedule: Schedule
  readonly due: DueInstants
  readonly progress: Progress
}

async function startAll(deps: TickDeps, { schedule: { id }, due, progress }: DueTick): Promise<void> {
  const instants = [...due.missed, ...due.onTime]
  const started = await Promise.all(instants.map((instant) => startAt(deps, id, instant)))
  for (const [index, instant] of instants.entries()) {
    const start = started[index]
    if (start) note(progress, { id, instant, start })
  }
}

async function startInOrder(
  deps: TickDeps,
  { schedule, due, progress, at }: DueTick & { readonly at: number },
): Promise<void> {
  const { id, overlap, catchUp } = schedule
  // the server ended after it had started this one
  if ((await existingAt(deps, id, at)) === 'started') note(progress, { id, instant: at, start: 'started' })
  for (const instant of [...due.missed, ...due.onTime]) {
    if (progress.tickAt !== null && instant <= progress.tickAt) continue
    const isBusy = progress.waiting.length > 0 || (await isOpen(deps, id, progress.tickAt))
    if (!isBusy) {
      note(progress, { id, instant, start: await startAt(deps, id, instant) })
      continue
    }
    const waits = overlap === 'queue' || (catchUp === 'all' && due.missed.includes(instant))
    if ((waits || progress.waiting.length > 0) && progress.waiting.length < MAX_WAITING)
      progress.waiting.push(instant)
    else logSkipped(deps, { id, instant, waiting: progress.waiting.length })
  }
}

/** Starts the first instant that waits, if the execution before it has ended. */
async function startWaiting(deps: TickDeps, row: ScheduleRow): Promise<ScheduleChange | undefined> {
  const [instant, ...waiting] = row.waiting
  if (instant === undefined || (await isOpen(deps, row.id, row.tickAt))) return undefined
  const progress: Progress = { waiting, tickAt: row.tickAt, last: row }
  note(progress, { id: row.id, instant, start: await startAt(deps, row.id, instant) })
  const { tickAt, last } = progress
  const { lastExecutionId, lastAt } = last
  const { add = [] } = jobsOf(row.id, null, waiting)
  return { set: { waiting, tickAt, lastExecutionId, lastAt }, jobs: { add } }
}

function note(
  progress: Progress,
  { id, instant, start }: { readonly id: string; readonly instant: number; readonly start: InstantStart },
): void {
  if (start === 'no input') return
  // an execution that something else made is none to wait for, but is shown
  if (start === 'started') progress.tickAt = instant
  progress.last = { lastExecutionId: executionIdAt(id, instant), lastAt: instant }
}

/** Whether the execution of an instant runs or is suspended. */
async function isOpen({ store }: TickDeps, id: string, instant: number | null): Promise<boolean> {
  if (instant === null) return false
  const row = await store.executions.get(executionIdAt(id, instant))
  return row !== undefined && !isFinal(row.status)
}

function logMissed(
  { logger }: TickDeps,
  { schedule, from, due }: { readonly schedule: Schedule; readonly from: number; readonly due: DueInstants },
): void {
  const { id: scheduleId, catchUp } = schedule
  const bound = due.missed.length === MAX_CAUGHT_UP ? `, at most the newest ${MAX_CAUGHT_UP}` : ''
  logger.warn(
    { scheduleId, from: toIso(from), catchUp, run: due.missed.length },
    `Schedule ${scheduleId} missed instants while no server ran; ${due.missed.length} of them run now (catchUp: ${catchUp}${bound})`,
  )
}

function logSkipped(
  { logger }: TickDeps,
  {
    id: scheduleId,
    instant,
    waiting,
  }: { readonly id: string; readonly instant: number; readonly waiting: number },
): void {
  const executionId = executionIdAt(scheduleId, instant)
  if (waiting >= MAX_WAITING)
    logger.warn({ scheduleId, executionId }, `A scheduled execution is left out: ${MAX_WAITING} wait already`)
  else
    logger.info(
      { scheduleId, executionId },
      'A scheduled execution is left out: the one before it has not ended (overlap: skip)',
    )
}

/** Of missed instants, at most this many are made up for. */
const MAX_CAUGHT_UP = 1000

/** A server that runs does an instant within this time; a later one was missed, as while the computer slept. */
const LATE_MS = 60_000

interface DueInstants {
  /** Those missed while no server ran that are made up for, in order. */
  readonly missed: readonly number[]
  /** In order. */
  readonly onTime: readonly number[]
  /** Whether there are any missed ones, made up for or not. */
  readonly anyMissed: boolean
}

/** The instants of a schedule from `from`, one of them, until now. `startedAt`: when this server started. */
async function dueInstants(
  { instants, catchUp }: Pick<Schedule, 'instants' | 'catchUp'>,
  { from, now, startedAt }: { readonly from: number; readonly now: number; readonly startedAt: number },
): Promise<DueInstants> {
  const since = Math.max(startedAt, now - LATE_MS)
  const limit = catchUp === 'all' ? MAX_CAUGHT_UP : 1
  const anyMissed = from < since
  const missed =
    anyMissed && catchUp !== 'none'
      ? await newestInstants(instants, { from, to: Math.min(since - 1, now), limit })
      : []
  const range = { after: Math.max(from, since) - 1, to: Math.max(from, now), limit: Infinity }
  return { missed, onTime: await instantsBetween(instants, range), anyMissed }
}
