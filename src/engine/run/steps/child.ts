import type { ExecutionError } from '../../../contract/event.ts'
import { stepIdAt } from '../../../contract/step-path.ts'
import type { Scope } from '../../../lib/async/scope.ts'
import type { TraceScope } from '../../../lib/telemetry/trace-scope.ts'
import type { StepRow } from '../../../store/execution-store.ts'
import { stepStarted } from '../../record/execution-events.ts'
import { requireStored } from '../../record/commit.ts'
import type { DurableRecord } from '../../record/execution-record.ts'
import { recordedOutcome, startedRow } from '../../record/step-rows.ts'
import type { StepTask } from '../step-task.ts'
import { RunAborted, StepFailure, SuspendSignal } from '../errors.ts'
import type { EndRequest } from '../outcome.ts'
import { suspendedExecution } from './agent-wait.ts'
import type { RunTrace } from '../run-trace.ts'

export interface NewChild {
  readonly parent: DurableRecord
  readonly workflowId: string
  readonly input: unknown
  /** The span of the parent's step. */
  readonly trace: TraceScope
}

/** How a child execution settled, as its parent needs it. `output` and `data` are JSON text. */
export type ChildOutcome =
  | { readonly status: 'completed'; readonly output: string }
  | { readonly status: 'error'; readonly error: ExecutionError }
  | { readonly status: 'cancelled' }
  | {
      readonly status: 'suspended'
      readonly reason: string
      readonly data: string | null
      readonly resumeSchema: unknown
      readonly by: string | undefined
      /** Milliseconds since the epoch. */
      readonly wakeAt: number | undefined
      /** The event that it waits for. */
      readonly event: string | undefined
      readonly key: string | undefined
    }

/** The operations of a run on the executions that its steps start. */
export interface ChildRuns {
  /**
   * Validates the input of a child. The returned function starts the child, which is stored together with the
   * changes that the parent stages in that turn, and returns its id.
   */
  prepareChild(child: NewChild): Promise<() => string>
  /** Waits until a child settles, and recovers it first if it runs nowhere. `stopped`: the server stops. */
  awaitChild(id: string): Promise<ChildOutcome | 'stopped'>
  cancelChild(id: string, request: EndRequest): Promise<unknown>
  /** Ends a run of an agent that waits, and whose step needs no answer any more. */
  endAnswer(id: string): Promise<void>
  /** Requests a child to suspend at its next step boundary. */
  suspendChild(id: string, request: EndRequest): void
}

/** Ends what a step had started that is cancelled: the run of an agent that waits with it, and its child. */
export async function endStarted(
  children: Pick<ChildRuns, 'cancelChild' | 'endAnswer'>,
  { suspendData, childId }: Pick<StepRow, 'suspendData' | 'childId'>,
  reason: string,
): Promise<void> {
  const run = suspendedExecution(suspendData)
  if (run) await children.endAnswer(run.id)
  if (childId !== null) await children.cancelChild(childId, { reason })
}

interface Parent extends StepTask {
  readonly record: DurableRecord
  readonly children: ChildRuns
  readonly scope: Scope
  readonly trace: RunTrace
  checkpoint(): void
  guard<T>(body: () => Promise<T>): Promise<T>
  complete(row: StepRow, output: string): string
  fail(row: StepRow, error: unknown): never
}

interface ChildStep {
  readonly workflowId: string
  readonly input: () => Promise<unknown>
}

interface Progress {
  readonly before: StepRow | undefined
  readonly span: TraceScope
}

/** Runs a step that is an execution of its own, or continues to wait for the child that it started before. */
export async function runChild(parent: Parent, child: ChildStep): Promise<string> {
  const { record } = parent
  const before = record.steps.get(parent.path)
  const recorded = before && before.status !== 'suspended' && recordedOutcome(before, parent)
  if (recorded && 'output' in recorded) return recorded.output
  const span = parent.trace.start(parent, 1)
  try {
    const output = await runToOutcome(parent, child, { before, span })
    parent.trace.end(parent, span, { output })
    return output
  } catch (error) {
    parent.trace.fail(parent, span, error)
    throw error
  }
}

async function runToOutcome(parent: Parent, child: ChildStep, progress: Progress): Promise<string> {
  const { record } = parent
  const { before } = progress
  const row = before?.childId
    ? { ...before, status: 'running' as const }
    : await startChild(parent, child, progress)
  const outcome = await awaitChild(parent, row)
  if (outcome === 'stopped') throw new RunAborted('stopping', 'The server is stopping')
  if (outcome.status === 'completed') return parent.complete(row, outcome.output)
  if (outcome.status === 'suspended') {
    record.stage({ step: { ...row, status: 'suspended' } })
    const { status: _, ...request } = outcome
    throw new SuspendSignal(parent, request)
  }
  const failure =
    outcome.status === 'error'
      ? { message: outcome.error.message, name: outcome.error.name, cause: outcome.error }
      : { message: 'The child execution was cancelled', name: 'Error' }
  return parent.fail(row, new StepFailure({ ...failure, stepId: stepIdAt(parent.path) }))
}

async function startChild(
  parent: Parent,
  { workflowId, input: makeInput }: ChildStep,
  { before, span }: Progress,
): Promise<StepRow> {
  const { record, children } = parent
  parent.checkpoint()
  const row = startedRow(parent, record.now(), before)
  record.stage({ step: row, events: [stepStarted(parent, row.attempts)] })
  try {
    const start = await parent.guard(async () => {
      const input = await span.run(makeInput)
      return children.prepareChild({ parent: record, workflowId, input, trace: span })
    })
    // the execution may have been cancelled or asked to stop in the meantime
    parent.checkpoint()
    const started = { ...row, childId: start() }
    record.stage({ step: started })
    requireStored(await record.commit())
    return started
  } catch (error) {
    if (error instanceof SuspendSignal) record.stage({ step: { ...row, status: 'suspended' } })
    return parent.fail(row, error)
  }
}

async function awaitChild(
  { children, scope, record }: Parent,
  { childId }: StepRow,
): Promise<ChildOutcome | 'stopped'> {
  const id = childId as string
  const stopListening = record.pause.onAbort((reason) => {
    if (reason instanceof RunAborted && reason.code === 'suspending')
      children.suspendChild(id, { reason: reason.message, by: reason.by })
  })
  try {
    return await scope.guard(children.awaitChild(id))
  } finally {
    stopListening()
  }
}
