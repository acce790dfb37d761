import type { ExecutionEvent } from '../../contract/event.ts'
import type { StepRecord } from '../../contract/execution.ts'
import type { PlacedStep } from './step-tree.ts'

/** How a step of an execution stands. */
export type StepState = Pick<StepRecord, 'status' | 'attempts' | 'startTime'> & {
  readonly durationMs: number | null
  readonly childExecutionId?: string | undefined
}

/** The states of steps, by path. Steps that have not started have none. */
export type StepStates = ReadonlyMap<string, StepState>

/** The states of an execution's record. */
export function recordedStates(records: readonly StepRecord[]): StepStates {
  return new Map(records.map((record) => [record.path, stateOf(record)]))
}

function stateOf({ status, attempts, startTime, durationMs, childExecutionId }: StepRecord): StepState {
  return { status, attempts, startTime, durationMs, childExecutionId }
}

/** The states after some events of a stream or of the topic `execution:<id>`, in order. */
export function statesAfter(
  before: StepStates,
  events: readonly ExecutionEvent[],
  steps: readonly PlacedStep[],
): StepStates {
  const states = new Map(before)
  const paths = new Map(steps.map(({ step, path }) => [step.id, path]))
  for (const event of events) apply(event, states, paths)
  return states
}

type States = Map<string, StepState>

function apply(event: ExecutionEvent, states: States, paths: ReadonlyMap<string, string>): void {
  const path = paths.get(stepIdOf(event) ?? '')
  const { timestamp: startTime } = event
  const started = path === undefined ? undefined : states.get(path)
  const base = { attempts: 1, startTime, durationMs: null, ...started }
  switch (event.type) {
    case 'step-start':
      if (path !== undefined)
        states.set(path, { ...base, startTime, status: 'running', attempts: event.attempt })
      return
    case 'step-complete':
      if (path === undefined) return
      states.set(path, {
        ...base,
        status: 'completed',
        attempts: event.attempt,
        durationMs: event.durationMs,
      })
      return change(states, { from: ['running', 'suspended'], to: 'cancelled', below: path })
    case 'step-error':
      if (path === undefined) return
      states.set(path, {
        ...base,
        status: event.willRetry ? 'running' : 'error',
        attempts: event.attempt,
        durationMs: event.willRetry ? null : Date.parse(event.timestamp) - Date.parse(base.startTime),
      })
      if (!event.willRetry) change(states, { from: ['running', 'suspended'], to: 'cancelled', below: path })
      return
    case 'step-skipped':
      if (path !== undefined) states.set(path, { ...base, status: 'skipped', durationMs: 0 })
      return
    case 'workflow-suspended':
      return change(states, { from: ['running'], to: 'suspended' })
    case 'workflow-resumed':
      return change(states, { from: ['suspended'], to: 'running', around: path ?? '' })
    case 'workflow-cancelled':
      return change(states, { from: ['running', 'suspended'], to: 'cancelled' })
    default:
  }
}

function stepIdOf(event: ExecutionEvent): string | undefined {
  if ('from' in event) return event.from
  return 'stepId' in event ? event.stepId : undefined
}

interface Change {
  readonly from: readonly StepState['status'][]
  readonly to: StepState['status']
  /** Only steps nested in this one. */
  readonly below?: string
  /** Only this one and those it is nested in. */
  readonly around?: string
}

function change(states: States, { from, to, below, around }: Change): void {
  for (const [path, state] of states) {
    if (below !== undefined && !path.startsWith(`${below}/`)) continue
    if (around !== undefined && !`${around}/`.startsWith(`${path}/`)) continue
    if (from.includes(state.status)) states.set(path, { ...state, status: to })
  }
}
