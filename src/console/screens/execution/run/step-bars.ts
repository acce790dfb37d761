import type { StepRecord } from '../../../../contract/endpoints/execution.ts'
import { durationText } from '../../../ui/time/format-time.ts'
import { statusText } from '../../../ui/state/status-badge.tsx'
import type { Interval } from '../../../waterfall/time-scale.ts'
import { ITEM_KINDS } from '../../../waterfall/tree-item.ts'
import type { ItemKind } from '../../../waterfall/tree-item.ts'
import type { Bar } from '../../../waterfall/waterfall-row.ts'
import type { Attempt } from '../../../../contract/fold-events.ts'
import type { TreeStep } from '../step-tree.ts'

/** The kind of row that each type of step is. */
const STEP_KINDS: Readonly<Record<StepRecord['type'], ItemKind>> = {
  andThen: 'step',
  andAgent: 'agent',
  andWorkflow: 'workflow',
  andSleep: 'wait',
  andSleepUntil: 'wait',
  andWaitForEvent: 'wait',
  andTap: 'tap',
  andAll: 'group',
  andRace: 'group',
  andWhen: 'group',
  andBranch: 'group',
  andTry: 'group',
  group: 'group',
  andForEach: 'group',
  andDoWhile: 'group',
  andDoUntil: 'group',
  function: 'step',
}

export function kindOfStep({ type }: StepRecord): ItemKind {
  // a file may have types of another release
  return (STEP_KINDS as Readonly<Record<string, ItemKind>>)[type] ?? 'step'
}

/** The bars of a step: its attempts, and the waits between them. */
export function barsOf({ step, hasChildren }: TreeStep, attempts: readonly Attempt[], now: number): Bar[] {
  if (hasChildren)
    return [{ ...spanOf(step, now), tone: 'bg-kind-group', title: titleOf(step, now), thin: true }]
  const known = attempts.length > 0 ? attempts : [attemptOf(step)]
  return known.flatMap((attempt, index) => {
    const bar = attemptBar({ step, attempt, isOnly: known.length === 1 }, now)
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

/** The bar of an attempt. */
export function attemptBar(
  { step, attempt, isOnly }: { step: StepRecord; attempt: Attempt; isOnly: boolean },
  now: number,
): Bar {
  const end = attemptEnd(step, attempt, now)
  const status = attempt.end === end && attempt.status !== 'running' ? attempt.status : step.status
  const ms = end - attempt.start
  const suffix = isOnly ? '' : `, attempt ${attempt.number}`
  const title = `${step.name}${suffix}: ${statusText(status)}, ${durationText(ms)}${attempt.error ? `, ${attempt.error.message}` : ''}`
  const bar = { start: attempt.start, end, title }
  const [, tone] = ITEM_KINDS[kindOfStep(step)]
  return { ...bar, tone: status === 'error' ? 'bg-error' : tone }
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

function attemptOf(step: StepRecord): Attempt {
  const { startTime, endTime, status } = step
  return {
    number: 1,
    start: Date.parse(startTime),
    end: endTime === null ? undefined : Date.parse(endTime),
    status: status === 'skipped' ? 'completed' : status,
  }
}

function spanOf(step: StepRecord, now: number): Interval {
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
