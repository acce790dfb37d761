// without zod, so that the console can load it: the contract is imported as types only
import type { AcceptedChanges, Actors, ExecutionError, Misfit, RecordedEvent, Suspension } from './event.ts'
import type { ExecutionDetail, StepRecord } from './endpoints/execution.ts'
import type { CompensationReason, StepStatus, StepType } from './status.ts'
import { compensatedPath, isNestedIn, isWithin, outerPath } from './step-path.ts'

/** The fields of an execution event that decide how it is recorded. */
export interface SentEvent {
  readonly type: string
  readonly executionId: string
  readonly timestamp: string
  /** The step; events of the workflow have none. */
  readonly from?: string
  readonly name?: string
  readonly status?: string
  readonly durationMs?: number
}

/** The status of a recorded event by its type. A `workflow-result` has the status of its execution. */
const EVENT_STATUS: Readonly<Record<string, string>> = {
  'workflow-start': 'running',
  'workflow-resumed': 'running',
  'workflow-queued': 'running',
  'workflow-compensating': 'running',
  'workflow-suspended': 'suspended',
  'workflow-complete': 'success',
  'workflow-error': 'error',
  'workflow-cancelled': 'cancelled',
  'step-start': 'running',
  'step-complete': 'success',
  'step-error': 'error',
  'step-skipped': 'skipped',
  custom: 'success',
}

/** The event as the record of its execution lists it. */
export function toRecordedEvent(event: SentEvent, sequence: number, workflowName: string): RecordedEvent {
  const { type, from, timestamp, executionId: _, ...rest } = event
  const status = EVENT_STATUS[type] ?? rest.status ?? 'success'
  const startTime =
    rest.durationMs === undefined
      ? timestamp
      : new Date(Date.parse(timestamp) - rest.durationMs).toISOString()
  return {
    ...rest,
    id: String(sequence),
    type,
    name: rest.name ?? from ?? workflowName,
    from: from ?? workflowName,
    startTime,
    ...(status !== 'running' && { endTime: timestamp }),
    status,
  }
}

/** The member of each type of event that names the user who caused it. */
const ACTORS: Readonly<Record<string, readonly (keyof Actors)[]>> = {
  'workflow-start': ['startedBy', 'replayedBy'],
  'workflow-suspended': ['suspendedBy'],
  'workflow-resumed': ['resumedBy', 'resumedAs', 'resumedOver'],
  'workflow-cancelled': ['cancelledBy'],
}

const ACTOR_NAMES = new Set<string>(Object.values(ACTORS).flat())

/** The users who started, last suspended and resumed, and cancelled an execution, by its events. */
export function actorsIn(events: readonly RecordedEvent[]): Actors {
  const last = new Map(
    events.flatMap((event) => (ACTORS[event.type] ?? []).map((name) => [name, event[name]])),
  )
  return Object.fromEntries([...last].filter(([, userId]) => userId !== undefined))
}

/** When a recorded event was sent, in milliseconds since the epoch. */
export function eventTime({ startTime, endTime }: RecordedEvent): number {
  return Date.parse(endTime ?? startTime)
}

/** The sequence number of the newest event of a record; 0 without events. */
export function lastSequence({ events }: ExecutionDetail): number {
  return Number(events.at(-1)?.id ?? 0)
}

/** Path and name of a step by its id, from the workflow's definition. */
export type FindStep = (stepId: string) => { readonly path: string; readonly name: string } | undefined

/** The record of an execution after further events; events that the record already has are ignored. */
export function foldEvents(
  record: ExecutionDetail,
  events: readonly RecordedEvent[],
  findStep: FindStep,
): ExecutionDetail {
  const last = lastSequence(record)
  const later = events.filter(({ id }) => Number(id) > last)
  if (later.length === 0) return record
  const fold = new Fold(record, findStep)
  for (const event of later) fold.add(event)
  return fold.record([...record.events, ...later])
}

class Fold {
  /** By path: calls of several steps may have the same id. */
  readonly #steps: Map<string, StepRecord>
  readonly #findStep: FindStep
  #record: ExecutionDetail

  constructor(record: ExecutionDetail, findStep: FindStep) {
    this.#record = record
    this.#findStep = findStep
    this.#steps = new Map(record.steps.map((step) => [step.path, step]))
  }

  record(events: RecordedEvent[]): ExecutionDetail {
    const others = Object.entries(this.#record).filter(([name]) => !ACTOR_NAMES.has(name))
    const record = Object.fromEntries(others) as ExecutionDetail
    return { ...record, ...actorsIn(events), steps: [...this.#steps.values()], events }
  }

  add(event: RecordedEvent): void {
    const at = event.endTime ?? event.startTime
    this.#record = { ...this.#record, updatedAt: at }
    if (event.type !== 'workflow-queued') this.#endWait()
    if (event.type.startsWith('step-')) this.#addToStep(event, at)
    else this.#addToExecution(event, at)
  }

  #endWait(): void {
    const { waiting: _, ...rest } = this.#record
    this.#record = rest
  }

  #addToStep(event: RecordedEvent, at: string): void {
    const { type, from } = event
    const attempts = Number(event['attempt'] ?? 0)
    const path = (event['path'] as string | undefined) ?? this.#findStep(from)?.path ?? from
    const step = this.#steps.get(path) ?? this.#newStep(event, path)
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
    this.#steps.set(path, changed)
    if (changed.endTime !== null && step.endTime === null) this.#countRound(changed)
    // the losers of a race have no event that ends them: they end with the step they are nested in
    if (changed.endTime !== null)
      this.#changeSteps(['running', 'suspended'], { status: 'cancelled', ...ended }, (path) =>
        isNestedIn(path, changed.path),
      )
  }

  #newStep({ from: stepId, input, startTime, ...event }: RecordedEvent, path: string): StepRecord {
    const { name = stepId } = this.#findStep(stepId) ?? {}
    const compensates = compensatedPath(path)
    const type = event['stepType'] as StepType
    const rest = { attempts: 0, startTime, endTime: null, durationMs: null }
    return {
      stepId,
      path,
      name,
      type,
      status: 'running',
      input,
      ...rest,
      ...firstProgress(type, input),
      ...(compensates !== undefined && { compensates }),
    }
  }

  /** Counts the end of a round in the progress of its loop. */
  #countRound({ path, status }: StepRecord): void {
    if (!path.endsWith(']')) return
    const loop = this.#steps.get(outerPath(path))
    if (!loop) return
    const { done = 0, failed = 0, ...total } = loop.progress ?? {}
    const failures = status === 'error' ? failed + 1 : failed
    const progress = { ...total, done: done + 1, ...(failures > 0 && { failed: failures }) }
    this.#steps.set(loop.path, { ...loop, progress })
  }

  #addToExecution(event: RecordedEvent, at: string): void {
    const { suspension: _, compensating: __, ...base } = this.#record
    const compensation = event['compensation'] as ExecutionDetail['compensation']
    const compensated = compensation && { compensation }
    switch (event.type) {
      case 'workflow-suspended':
        this.#changeSteps(['running'], { status: 'suspended' })
        this.#record = { ...base, status: 'suspended', suspension: suspensionOf(event, at) }
        return
      case 'workflow-resumed': {
        const waiting = [...this.#steps.values()].filter(({ status }) => status === 'suspended')
        const resumed = waiting.find(({ stepId }) => stepId === event['stepId'])?.path ?? ''
        this.#changeSteps(['suspended'], { status: 'running' }, (path) => isWithin(resumed, path))
        this.#record = { ...base, status: 'running', ...acceptedIn(event, at) }
        return
      }
      case 'workflow-complete':
        this.#record = { ...base, status: 'completed', output: event.output, endedAt: at }
        return
      case 'workflow-error':
        this.#record = {
          ...base,
          status: 'error',
          error: event['error'] as ExecutionError,
          endedAt: at,
          ...compensated,
        }
        return
      case 'workflow-cancelled':
        this.#changeSteps(['running', 'suspended'], { status: 'cancelled', endTime: at })
        this.#record = { ...base, status: 'cancelled', endedAt: at, ...compensated }
        return
      case 'workflow-compensating':
        this.#changeSteps(['running', 'suspended'], { status: 'cancelled', endTime: at })
        this.#record = {
          ...base,
          status: 'running',
          compensating: { reason: event['reason'] as CompensationReason },
        }
    }
  }

  #changeSteps(from: readonly StepStatus[], change: Partial<StepRecord>, where = (_: string) => true): void {
    for (const [path, step] of this.#steps)
      if (from.includes(step.status) && where(path)) this.#steps.set(path, { ...step, ...change })
  }
}

function firstProgress(type: StepType, input: unknown): Pick<StepRecord, 'progress'> {
  if (type === 'andDoWhile' || type === 'andDoUntil') return { progress: { done: 0 } }
  if (type !== 'andForEach') return {}
  return { progress: { done: 0, ...(Array.isArray(input) && { total: input.length }) } }
}

function acceptedIn(event: RecordedEvent, at: string): Pick<ExecutionDetail, 'acceptedChanges'> {
  if (event['acceptChanges'] !== true) return {}
  const { resumedBy: by, resumedAs: as, resumedOver: over } = event as Actors
  return { acceptedChanges: { at, by, as, over } satisfies AcceptedChanges }
}

function suspensionOf(event: RecordedEvent, suspendedAt: string): Suspension {
  return {
    suspendedAt,
    reason: event['reason'] as string,
    suspendedStepIndex: event['stepIndex'] as number,
    stepId: event['stepId'] as string,
    ...('data' in event && { data: event['data'] }),
    ...(typeof event['wakeAt'] === 'string' && { wakeAt: event['wakeAt'] }),
    ...(typeof event['event'] === 'string' && { event: event['event'] }),
    ...(typeof event['key'] === 'string' && { key: event['key'] }),
    ...(Array.isArray(event['misfits']) && { misfits: event['misfits'] as Misfit[] }),
    ...(typeof event['hint'] === 'string' && { hint: event['hint'] }),
  }
}

/** One run of a step's code. */
export interface Attempt {
  readonly number: number
  /** Milliseconds since the epoch. */
  readonly start: number
  /** Undefined while it runs, and when no event ends it. */
  readonly end: number | undefined
  readonly status: 'running' | 'completed' | 'error' | 'suspended' | 'cancelled'
  readonly error?: ExecutionError
}

const STEP_ENDS = { 'step-complete': 'completed', 'step-error': 'error' } as const
const WORKFLOW_STOPS = { 'workflow-suspended': 'suspended', 'workflow-cancelled': 'cancelled' } as const

/** The attempts of every step. */
export class Attempts {
  /** By path, where events have one: calls of several steps may have the same id. */
  readonly #byPlace: ReadonlyMap<string, readonly Attempt[]>

  constructor(events: readonly RecordedEvent[]) {
    this.#byPlace = foldAttempts(events)
  }

  of({ path, stepId }: Pick<StepRecord, 'path' | 'stepId'>): readonly Attempt[] {
    return this.#byPlace.get(path) ?? this.#byPlace.get(stepId) ?? []
  }
}

function foldAttempts(events: readonly RecordedEvent[]): ReadonlyMap<string, readonly Attempt[]> {
  const all = new Map<string, Attempt[]>()
  const open = new Map<string, Attempt[]>()
  const close = (list: Attempt[], change: Pick<Attempt, 'end' | 'status' | 'error'>) => {
    const last = list.at(-1)
    if (last) list[list.length - 1] = { ...last, ...change }
  }
  for (const event of events) {
    const { type } = event
    const from = (event['path'] as string | undefined) ?? event.from
    if (type === 'step-start') {
      const list = all.get(from) ?? []
      const number = Number(event['attempt'] ?? 1)
      const start = Date.parse(event.startTime)
      // the process has ended within the attempt before
      if (open.has(from)) close(list, { end: start, status: 'cancelled' })
      list.push({ number, start, end: undefined, status: 'running' })
      all.set(from, list)
      open.set(from, list)
    } else if (type in STEP_ENDS) {
      const error = event['error'] as ExecutionError | undefined
      const status = STEP_ENDS[type as keyof typeof STEP_ENDS]
      close(open.get(from) ?? [], { end: eventTime(event), status, ...(error && { error }) })
      open.delete(from)
    } else if (type in WORKFLOW_STOPS) {
      const status = WORKFLOW_STOPS[type as keyof typeof WORKFLOW_STOPS]
      for (const list of open.values()) close(list, { end: eventTime(event), status })
      open.clear()
    }
  }
  return all
}
