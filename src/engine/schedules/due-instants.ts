import { instantsBetween, newestInstants } from '../../workflow/schedule/instants.ts'
import type { Schedule } from '../../workflow/schedule/schedule.ts'

/** Of missed instants, at most this many are made up for. */
export const MAX_CAUGHT_UP = 1000
/** A server that runs does an instant within this time; a later one was missed, as while the computer slept. */
const LATE_MS = 60_000

export interface DueInstants {
  /** Those missed while no server ran that are made up for, in order. */
  readonly missed: readonly number[]
  /** In order. */
  readonly onTime: readonly number[]
  /** Whether there are any missed ones, made up for or not. */
  readonly anyMissed: boolean
}

/** The instants of a schedule from `from`, one of them, until now. `startedAt`: when this server started. */
export async function dueInstants(
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
