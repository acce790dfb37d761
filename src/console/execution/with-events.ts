import type { ExecutionError, RecordedEvent, Suspension } from '../../contract/event.ts'
import type { ExecutionDetail, StepRecord } from '../../contract/endpoints/execution.ts'
import type { StepStatus, StepType } from '../../contract/status.ts'

/** The path and the name of a step, as the workflow's definition has them. */
export type PlaceOf = (stepId: string) => { readonly path: string; readonly name: string } | undefined

/** Sequence number of the newest event a record has; 0 without one. */
export function lastSeq({ events }: ExecutionDetail): number {
  return Number(events.at(-1)?.id ?? 0)
}

/** A record as it is after further events, until the server is asked for it again. */
export function withEvents(
  record: ExecutionDetail,
  events: readonly RecordedEvent[],
  placeOf: PlaceOf,
): ExecutionDetail {
  const seen = lastSeq(record)
  const later = events.filter(({ id }) => Number(id) > seen)
  if (later.length === 0) return record
  const draft = new Draft(record, placeOf)
  for (const event of later) draft.take(event)
  return draft.done([...record.events, ...later])
}

class Draft {
  readonly #steps: Map<string, StepRecord>
  readonly #placeOf: PlaceOf
  #record: ExecutionDetail

  constructor(record: ExecutionDetail, placeOf: PlaceOf) {
    this.#record = record
    this.#placeOf = placeOf
    this.#steps = new Map(record.steps.map((step) => [step.stepId, step]))
  }

  done(events: readonly RecordedEvent[]): ExecutionDetail {
    return { ...this.#record, steps: [...this.#steps.values()], events: [...events] }
  }

  take(event: RecordedEvent): void {
    const at = event.endTime ?? event.startTime
    this.#record = { ...this.#record, updatedAt: at }
    if (event.type.startsWith('step-')) this.#takeStep(event, at)
    else this.#takeWorkflow(event, at)
  }

  #takeStep(event: RecordedEvent, at: string): void {
    const { type, from: stepId } = event
    const attempts = Number(event['attempt'] ?? 0)
    const step = this.#steps.get(stepId) ?? this.#newStep(event)
    const ended = { endTime: at, durationMs: Date.parse(at) - Date.parse(step.startTime) }
    const changes: Readonly<Record<string, Partial<StepRecord>>> = {
      'step-start': { status: 'running', attempts, endTime: null, durationMs: null, input: event.input },
      'step-complete': { status: 'completed', attempts, output: event.output, ...ended },
      'step-skipped': { status: 'skipped', ...ended },
      'step-error':
        event['willRetry'] === true
          ? { attempts }
          : { status: 'error', attempts, error: event['error'] as ExecutionError, ...ended },
    }
    const changed = { ...step, ...changes[type] }
    this.#steps.set(stepId, changed)
    // what is nested in a step that has ended, and has not, lost a race
    if (changed.endTime !== null)
      this.#all(['running', 'suspended'], { status: 'cancelled', ...ended }, (path) =>
        path.startsWith(`${changed.path}/`),
      )
  }

  #newStep({ from: stepId, input, startTime, ...event }: RecordedEvent): StepRecord {
    const { path = stepId, name = stepId } = this.#placeOf(stepId) ?? {}
    const type = event['stepType'] as StepType
    const rest = { attempts: 0, startTime, endTime: null, durationMs: null }
    return { stepId, path, name, type, status: 'running', input, ...rest }
  }

  #takeWorkflow(event: RecordedEvent, at: string): void {
    const { suspension: _, ...base } = this.#record
    if (event.type === 'workflow-suspended') {
      this.#all(['running'], { status: 'suspended' })
      this.#record = { ...base, status: 'suspended', suspension: suspensionOf(event, at) }
    } else if (event.type === 'workflow-resumed') {
      const resumed = this.#steps.get(event['stepId'] as string)?.path ?? ''
      this.#all(['suspended'], { status: 'running' }, (path) => `${resumed}/`.startsWith(`${path}/`))
      this.#record = { ...base, status: 'running' }
    } else if (event.type === 'workflow-complete')
      this.#record = { ...base, status: 'completed', output: event.output, endedAt: at }
    else if (event.type === 'workflow-error')
      this.#record = { ...base, status: 'error', error: event['error'] as ExecutionError, endedAt: at }
    else if (event.type === 'workflow-cancelled') {
      this.#all(['running', 'suspended'], { status: 'cancelled', endTime: at })
      this.#record = { ...base, status: 'cancelled', endedAt: at }
    }
  }

  #all(from: readonly StepStatus[], change: Partial<StepRecord>, where = (_: string) => true): void {
    for (const [id, step] of this.#steps)
      if (from.includes(step.status) && where(step.path)) this.#steps.set(id, { ...step, ...change })
  }
}

function suspensionOf(event: RecordedEvent, suspendedAt: string): Suspension {
  return {
    suspendedAt,
    reason: event['reason'] as string,
    suspendedStepIndex: event['stepIndex'] as number,
    stepId: event['stepId'] as string,
    ...('data' in event && { data: event['data'] }),
  }
}
