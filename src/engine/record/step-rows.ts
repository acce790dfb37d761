import type { ExecutionError } from '../../contract/event.ts'
import { isInRound, stepIdAt } from '../../contract/step-path.ts'
import { NEW_STEP } from '../../store/execution-store.ts'
import { afterCrash, stepsInFlight } from '../../store/crash.ts'
import type { Crash, Suspicion } from '../../store/crash.ts'
import type { StepChange, StepRow } from '../../store/execution-store.ts'
import type { StepOutcome, StepTask, SuspendRequest } from '../run/step-task.ts'
import { StepFailure, storedError } from '../run/errors.ts'

/** Has every member: in V8, adding members after a spread takes ten times as long. */
const BLANK: StepRow = {
  ...NEW_STEP,
  path: '',
  stepId: '',
  name: '',
  type: 'andThen',
  position: 0,
  status: 'running',
  input: '',
  startedAt: 0,
}

/** The row of a step whose first or next attempt starts. */
export function startedRow(task: StepTask, now: number, before?: StepRow): StepRow {
  if (before) {
    const attempts = before.attempts + 1
    return { ...before, status: 'running', attempts, exempt: false, trial: null, wakeAt: null, endedAt: null }
  }
  const { step, path, index, input } = task
  const stepId = step.was === undefined && !isInRound(path) ? step.id : stepIdAt(path)
  const { name = stepId, type } = step
  return {
    ...BLANK,
    path,
    stepId,
    name,
    type,
    position: index,
    input,
    startedAt: now,
    status: 'running',
    attempts: 1,
  }
}

/** The row of a step that waits at a breakpoint. It has no attempt yet. */
export function pausedRow(task: StepTask, now: number): StepRow {
  return { ...startedRow(task, now), status: 'suspended', attempts: 0 }
}

/** The row of a step that continues from a breakpoint: it starts now, with this input. */
export function unpausedRow(row: StepRow, input: string, now: number): StepRow {
  return { ...row, status: 'running', input, startedAt: now }
}

/** Nothing is known against a step: it was resumed, or part of its work was recorded. */
export const NO_SUSPICION = { crashes: 0, suspected: 0, trial: null } as const satisfies Suspicion

/**
 * The rows of an execution whose process has ended. What was in flight is not any more; those that are suspected begin
 * again in a trial.
 */
export function recoveredRows(steps: readonly StepRow[], crash: Crash): StepRow[] {
  const inFlight = new Set(stepsInFlight(steps))
  return steps.map((step) => {
    if (step.status !== 'running') return step
    const known = inFlight.has(step) && !step.exempt ? { ...step, ...afterCrash(step, crash) } : step
    const { crashes, suspected, attempts, trial } = known
    const isSuspect = crashes + suspected > 0 && (trial === 'waiting' || inFlight.has(step))
    if (isSuspect && attempts > 0) return { ...known, exempt: true, trial: 'waiting' }
    return trial === 'passed' ? { ...known, trial: null } : known
  })
}

export function completedRow(row: StepRow, now: number, output: string): StepRow {
  return { ...row, status: 'completed', output, error: null, wakeAt: null, endedAt: now }
}

export function failedRow(row: StepRow, now: number, error: ExecutionError): StepRow {
  return { ...row, status: 'error', error: JSON.stringify(error), failures: row.failures + 1, endedAt: now }
}

/** `wakeAt`: when the step continues without having been resumed. */
export function suspendedRow(row: StepRow, request: SuspendRequest, wakeAt: number | null): StepRow {
  return { ...row, status: 'suspended', suspendData: JSON.stringify(request), wakeAt }
}

/** The row of a suspended step that is resumed: its attempts are counted from 0 again. */
export function resumedRow(row: StepRow, resumeData: string | null, timedOut = false): StepRow {
  return {
    ...row,
    status: 'running',
    resumeData,
    timedOut,
    resumes: row.resumes + 1,
    attempts: 0,
    failures: 0,
    ...NO_SUSPICION,
    wakeAt: null,
  }
}

/** Whether a step waits for an event: it has not got one, and was not resumed. */
export function awaitsEvent({ event, status, resumes }: StepRow): boolean {
  return event !== null && resumes === 0 && (status === 'suspended' || status === 'running')
}

/** The recorded outcome of a step; `undefined` when it has to run. Throws the failure of a failed step. */
export function recordedOutcome(row: StepRow, task: StepTask): StepOutcome | undefined {
  if (row.resumes > task.resumes || row.status === 'suspended') {
    const request = JSON.parse(row.suspendData ?? '{"reason":"","data":null}') as SuspendRequest
    return { suspended: request }
  }
  if (row.status === 'completed') return { output: row.output ?? 'null' }
  if (row.status === 'skipped') return { output: row.input }
  if (row.status !== 'error') return undefined
  if (task.continueOnError) return { output: row.input }
  throw new StepFailure(storedError(row.error))
}

/** The recorded result of a step as JSON text; none while it runs. That of an andTap step is its input. */
export function resultIn({ type, status, input, output }: StepRow): string | null {
  if (type !== 'andTap') return output
  return status === 'completed' || status === 'error' ? input : null
}

/** The changed members of a step's row: large inputs are not stored again with every change. */
export function stepChange(step: StepRow, before: StepRow | undefined): StepChange {
  const known: Partial<StepRow> = before ?? NEW_STEP
  const change: Record<string, unknown> = { path: step.path }
  let key: keyof StepRow
  for (key in step) if (known[key] !== step[key]) change[key] = step[key]
  return change as StepChange
}
