import type { StepRecord } from '../../../../contract/endpoints/execution.ts'
import { durationText } from '../../../ui/time/format-time.ts'
import { statusText } from '../../../ui/state/status-badge.tsx'
import type { Interval } from '../../../waterfall/time-scale.ts'
import type { Bar } from '../../../waterfall/waterfall-row.ts'
import type { Attempt } from '../../../../contract/fold-events.ts'
import type { TreeStep } from '../step-tree.ts'

/** What determines the colour of bars. */
export type ColourBy = 'kind' | 'duration' | 'status'

export interface BarOptions {
  readonly now: number
  readonly colouring: ColourBy
  /** Duration of the longest attempt, in milliseconds. */
  readonly longest: number
}

const KINDS: Readonly<Record<StepRecord['type'], string>> = {
  andThen: 'bg-kind-code',
  andAgent: 'bg-kind-agent',
  andWorkflow: 'bg-kind-workflow',
  andSleep: 'bg-suspended',
  andSleepUntil: 'bg-suspended',
  andWaitForEvent: 'bg-suspended',
  andTap: 'bg-kind-tap',
  andAll: 'bg-kind-group',
  andRace: 'bg-kind-group',
  andWhen: 'bg-kind-group',
  andBranch: 'bg-kind-group',
  andTry: 'bg-kind-group',
  group: 'bg-kind-group',
  andForEach: 'bg-kind-group',
  andDoWhile: 'bg-kind-group',
  andDoUntil: 'bg-kind-group',
  function: 'bg-kind-code',
}
const STATUSES = {
  running: 'bg-running',
  completed: 'bg-ok',
  error: 'bg-error',
  suspended: 'bg-suspended',
  cancelled: 'bg-cancelled',
  skipped: 'bg-cancelled',
} as const

/** The bars of a step: its attempts, and the waits between them. */
export function barsOf(
  { step, hasChildren }: TreeStep,
  attempts: readonly Attempt[],
  options: BarOptions,
): Bar[] {
  const { now } = options
  if (hasChildren)
    return [{ ...spanOf(step, now), tone: 'bg-kind-group', title: titleOf(step, now), thin: true }]
  const known = attempts.length > 0 ? attempts : [attemptOf(step)]
  return known.flatMap((attempt, index) => {
    const bar = attemptBar({ step, attempt, isOnly: known.length === 1 }, options)
    const next = known[index + 1]
    const wait = waitAfter(attempt, bar.end, next?.start ?? (step.endTime ? bar.end : now))
    return wait ? [bar, wait] : [bar]
  })
}

/** The intervals in which code of the step ran. */
export function busyOf(
  { step, hasChildren }: TreeStep,
  attempts: readonly Attempt[],
  now: number,
): Interval[] {
  if (hasChildren) return []
  if (attempts.length === 0) return [spanOf(step, now)]
  return attempts.map((attempt) => ({ start: attempt.start, end: attemptEnd(step, attempt, now) }))
}

function attemptBar(
  { step, attempt, isOnly }: { step: StepRecord; attempt: Attempt; isOnly: boolean },
  { now, colouring, longest }: BarOptions,
): Bar {
  const end = attemptEnd(step, attempt, now)
  const status = attempt.end === end && attempt.status !== 'running' ? attempt.status : step.status
  const ms = end - attempt.start
  const suffix = isOnly ? '' : `, attempt ${attempt.number}`
  const title = `${step.name}${suffix}: ${statusText(status)}, ${durationText(ms)}${attempt.error ? `, ${attempt.error.message}` : ''}`
  const bar = { start: attempt.start, end, title }
  if (status === 'error') return { ...bar, tone: STATUSES.error }
  if (colouring === 'duration') return { ...bar, tone: '', colour: heat(ms / Math.max(1, longest)) }
  return { ...bar, tone: colouring === 'kind' ? KINDS[step.type] : (STATUSES[status] ?? 'bg-running') }
}

function waitAfter({ status }: Attempt, start: number, end: number): Bar | undefined {
  if (end <= start) return undefined
  const ms = durationText(end - start)
  if (status === 'suspended')
    return { start, end, thin: true, tone: 'bg-suspended', title: `suspended for ${ms}` }
  if (status === 'error')
    return { start, end, thin: true, tone: 'bg-line-strong', title: `next attempt after ${ms}` }
  return undefined
}

/** The colour of a fraction of the longest duration. */
function heat(fraction: number): string {
  return `color-mix(in oklab, var(--color-suspended) ${Math.round(15 + 85 * Math.sqrt(Math.min(1, fraction)))}%, var(--color-line))`
}

function attemptOf(step: StepRecord): Attempt {
  const { startTime, endTime, status } = step
  return {
    number: 1,
    start: Date.parse(startTime),
    end: endTime === null ? undefined : Date.parse(endTime),
    status: status === 'skipped' ? 'completed' : status,
  }
}

export function spanOf(step: StepRecord, now: number): Interval {
  return { start: Date.parse(step.startTime), end: endOf(step, now) }
}

/** The end of an attempt. The loser of a race has no event that ends it: it ends with its step. */
function attemptEnd(step: StepRecord, { end }: Attempt, now: number): number {
  return Math.min(end ?? Infinity, endOf(step, now))
}

function endOf({ startTime, endTime }: StepRecord, now: number): number {
  return endTime === null ? Math.max(now, Date.parse(startTime)) : Date.parse(endTime)
}

function titleOf(step: StepRecord, now: number): string {
  const { start, end } = spanOf(step, now)
  return `${step.name}: ${statusText(step.status)}, ${durationText(end - start)}`
}
