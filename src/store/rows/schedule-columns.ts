import type { ScheduleRow } from '../schedule-store.ts'

/** The columns of schedules, in the order of `scheduleValues`. */
export const SCHEDULE_COLUMNS = [
  'id',
  'revision',
  'rule',
  'paused',
  'next_at',
  'waiting',
  'tick_at',
  'last_execution_id',
  'last_at',
] as const

/** The selected columns, by the names of `StoredSchedule`. */
export const SELECTED_SCHEDULE =
  'id, revision, rule, paused, next_at AS "nextAt", waiting, tick_at AS "tickAt", last_execution_id AS "lastExecutionId", last_at AS "lastAt"'

/** A row as both backends store it. */
export interface StoredSchedule extends Omit<ScheduleRow, 'paused' | 'waiting'> {
  readonly paused: number
  /** JSON array */
  readonly waiting: string
}

export function scheduleValues(row: ScheduleRow): (string | number | null)[] {
  const { id, revision, rule, paused, nextAt, waiting, tickAt, lastExecutionId, lastAt } = row
  return [
    id,
    revision,
    rule,
    Number(paused),
    nextAt,
    JSON.stringify(waiting),
    tickAt,
    lastExecutionId,
    lastAt,
  ]
}

export function scheduleOfColumns(stored: StoredSchedule): ScheduleRow {
  return { ...stored, paused: stored.paused === 1, waiting: JSON.parse(stored.waiting) as number[] }
}
