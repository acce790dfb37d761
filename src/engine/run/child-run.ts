import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { RunTrace } from './run-trace.ts'
import type { Scope } from '../../lib/async/scope.ts'
import type { StepRow } from '../../store/execution-store.ts'
import type { StepTask } from './durable-io.ts'
import { RunAborted, Parked, StepFailure } from './errors.ts'
import { stepStarted } from '../record/execution-events.ts'
import type { ChildEnd } from './child-end.ts'
import { requireStored } from '../record/execution-record.ts'
import type { RunRecord } from '../record/execution-record.ts'
import { recordedOutcome, startedRow } from '../record/step-rows.ts'

export interface NewChild {
  readonly parent: RunRecord
  readonly workflowId: string
  readonly input: unknown
  /** The span of the step that it is the child of. */
  readonly trace: TraceScope
}

/** What a run may do with the executions it starts. */
export interface ChildRuns {
  /**
   * Checks what a child begins with. The function that it resolves with begins the child, which is stored
   * with whatever the parent stores in that turn, and gives its id.
   */
  prepare(child: NewChild): Promise<() => string>
  /** Waits for a child to come to rest, taking it up again where nobody runs it. */
  join(id: string): Promise<ChildEnd | 'stopped'>
  cancel(id: string, reason: string): Promise<unknown>
  /** Asks a child to suspend at its next step boundary. */
  park(id: string, reason: string): void
}

interface Parent {
  readonly record: RunRecord
  readonly children: ChildRuns
  readonly scope: Scope
  readonly trace: RunTrace
  checkpoint(): void
  complete(row: StepRow, output: string): string
  fail(row: StepRow, error: unknown): never
}

interface ChildStep {
  readonly task: StepTask
  readonly workflowId: string
  readonly input: () => Promise<unknown>
}

/** Runs a step that is an execution of its own, or goes on waiting for the one it started before. */
export async function runChild(parent: Parent, child: ChildStep): Promise<string> {
  const { record } = parent
  const before = record.steps.get(child.task.path)
  const recorded = before && before.status !== 'suspended' && recordedOutcome(before, child.task)
  if (recorded && 'output' in recorded) return recorded.output
  const span = parent.trace.start(child.task, 1)
  try {
    const output = await awaitChild(parent, child, { before, span })
    parent.trace.end(child.task, span, { output })
    return output
  } catch (error) {
    parent.trace.fail(child.task, span, error)
    throw error
  }
}

async function awaitChild(
  parent: Parent,
  child: ChildStep,
  { before, span }: { before: StepRow | undefined; span: TraceScope },
): Promise<string> {
  const { record } = parent
  const row = before?.childId
    ? { ...before, status: 'running' as const }
    : await begin(parent, child, { before, span })
  const end = await joinChild(parent, row)
  if (end === 'stopped') throw new RunAborted('The server is stopping')
  if (end.status === 'completed') return parent.complete(row, end.output)
  if (end.status === 'suspended') {
    record.stage({ step: { ...row, status: 'suspended' } })
    const { reason, data, resumeSchema } = end
    throw new Parked(child.task, { reason, data, resumeSchema }, false)
  }
  const failure =
    end.status === 'error'
      ? { message: end.error.message, name: end.error.name, cause: end.error }
      : { message: 'The child execution was cancelled', name: 'Error' }
  return parent.fail(row, new StepFailure({ ...failure, stepId: child.task.step.id }))
}

async function begin(
  parent: Parent,
  child: ChildStep,
  { before, span }: { before: StepRow | undefined; span: TraceScope },
): Promise<StepRow> {
  const { record, children } = parent
  const { task, workflowId } = child
  parent.checkpoint()
  const row = startedRow(task, record.now(), before)
  try {
    const input = await span.run(child.input)
    const start = await children.prepare({ parent: record, workflowId, input, trace: span })
    if (!record.stored) requireStored(await record.commit())
    // meanwhile the execution may have been cancelled, refused by the store or asked to stop
    parent.checkpoint()
    const started = { ...row, childId: start() }
    record.stage({ step: started, events: [stepStarted(task, started.attempts)] })
    requireStored(await record.commit())
    return started
  } catch (error) {
    return parent.fail(row, error)
  }
}

async function joinChild(
  { children, scope, record }: Parent,
  { childId }: StepRow,
): Promise<ChildEnd | 'stopped'> {
  const id = childId as string
  const stopParking = record.pause.onAbort((reason) => children.park(id, reason.message))
  try {
    return await scope.guard(children.join(id))
  } finally {
    stopParking()
  }
}
