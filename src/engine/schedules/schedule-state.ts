import { toIso } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import type { JobChange, ScheduledJob } from '../../store/dispatcher.ts'
import type { ExecutionOrigin } from '../record/execution-events.ts'
import type { ScheduleRow } from '../../store/schedule-store.ts'
import type { Store } from '../../store/store.ts'

const NEW_SCHEDULE = {
  revision: 0,
  rule: '',
  paused: false,
  nextAt: null,
  waiting: [],
  tickAt: null,
  lastExecutionId: null,
  lastAt: null,
} as const satisfies Omit<ScheduleRow, 'id'>

/** How often a change of another server is built upon. */
const ATTEMPTS = 10

export interface ScheduleChange {
  readonly set: Partial<Omit<ScheduleRow, 'id' | 'revision'>>
  /** Stored with the row. */
  readonly jobs?: JobChange
}

/**
 * Changes a schedule as a function of its row. The function is called again when another server has changed the row
 * meanwhile, and changes nothing when it returns `undefined`.
 *
 * @throws AppError `conflict` when others keep changing it.
 */
export async function changeSchedule(
  { schedules }: Pick<Store, 'schedules'>,
  id: string,
  change: (row: ScheduleRow) => Promise<ScheduleChange | undefined> | ScheduleChange | undefined,
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const row = (await schedules.get(id)) ?? { ...NEW_SCHEDULE, id }
    const changed = await change(row)
    if (!changed) return
    if (await schedules.save({ ...row, ...changed.set, revision: row.revision + 1 }, changed.jobs)) return
  }
  throw new AppError('conflict', `Schedule ${id} is being changed by other requests. Try again`)
}

/** The job of the next instant. */
export function tickJob(schedule: string, at: number): ScheduledJob {
  return { key: tickKey(schedule), at, job: { kind: 'tick', schedule, at } }
}

/** The job that starts the execution of the first instant that waits. */
export function waitingJob(schedule: string): ScheduledJob {
  return { key: waitingKey(schedule), job: { kind: 'tick', schedule, at: null } }
}

/** Drops all jobs of a schedule. */
export function dropJobs(schedule: string): JobChange {
  return { drop: [tickKey(schedule), waitingKey(schedule)] }
}

/** The jobs of a schedule that is not paused. */
export function jobsOf(id: string, nextAt: number | null, waiting: readonly number[]): JobChange {
  return {
    add: [
      ...(nextAt === null ? [] : [tickJob(id, nextAt)]),
      ...(waiting.length === 0 ? [] : [waitingJob(id)]),
    ],
    ...(nextAt === null && { drop: [tickKey(id)] }),
  }
}

/** The id of the execution of an instant. */
export function executionIdAt(schedule: string, at: number): string {
  return `schedule:${schedule}:${toIso(at)}`
}

/** The origin of the executions of a schedule. */
export function originOfSchedule(schedule: string): ExecutionOrigin {
  return `schedule:${schedule}`
}

const TICK_ID = /^schedule:(.+):\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** The schedule that may have started an execution, by its id. */
export function scheduleIdOf(executionId: string): string | undefined {
  return TICK_ID.exec(executionId)?.[1]
}

function tickKey(schedule: string): string {
  return `tick:${schedule}`
}

function waitingKey(schedule: string): string {
  return `waiting:${schedule}`
}
