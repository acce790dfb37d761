import type { ExecutionDetail } from '../../../contract/endpoints/execution.ts'
import { eventTime, foldEvents } from '../../../contract/fold-events.ts'

/** The execution as it was at a time, in milliseconds since the epoch: the fold of its events until then. */
export function recordAt(record: ExecutionDetail, time: number): ExecutionDetail {
  const { output: _, error: __, suspension: ___, waiting: ____, endedAt: _____, ...later } = record
  const { hooks: ______, compensating: _______, compensation: ________, ...rest } = later
  // events of nested calls have their path; an id without one is that of another step first
  const byId = new Map(record.steps.map((step) => [step.stepId, step]))
  for (const step of record.steps) if (step.path === step.stepId) byId.set(step.stepId, step)
  const children = new Map(record.steps.map(({ path, childExecutionId }) => [path, childExecutionId]))
  const before = { ...rest, status: 'running' as const, steps: [], events: [] }
  const events = record.events.filter((event) => eventTime(event) <= time)
  const folded = foldEvents(before, events, (stepId) => byId.get(stepId))
  const steps = folded.steps.map((step) => {
    const childExecutionId = children.get(step.path)
    return childExecutionId === undefined ? step : { ...step, childExecutionId }
  })
  return { ...folded, steps, updatedAt: new Date(time).toISOString() }
}

/** The distinct times of the events of an execution, in order. */
export function eventTimes({ events }: ExecutionDetail): readonly number[] {
  return [...new Set(events.map((event) => eventTime(event)))].toSorted((one, other) => one - other)
}
