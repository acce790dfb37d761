import { ATTRIBUTE, OPERATION, callerAttributes } from '../../contract/attributes.ts'
import type { OpenSpan, SpanLink, TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import type { StepOutcome, StepTask } from './step-task.ts'
import { RunAborted, StepFailure, SuspendSignal, recordStepError } from './errors.ts'
import type { ErrorRecording } from './errors.ts'
import type { RegisteredWorkflow } from '../registry.ts'
import type { RunEnd, RunOutcome } from './outcome.ts'

type Subject = Pick<ExecutionRow, 'id' | 'userId' | 'conversationId' | 'input'>

/** Starts the span of an execution, or of its next part when it is continued. */
export function startExecution(
  scope: TraceScope,
  { definition }: RegisteredWorkflow,
  { subject, links }: { readonly subject: Subject; readonly links?: readonly SpanLink[] },
): OpenSpan {
  if (!scope.isRecording) return scope.start('')
  const span = scope.start(`${OPERATION.workflow} ${definition.id}`, {
    attributes: {
      [ATTRIBUTE.operation]: OPERATION.workflow,
      [ATTRIBUTE.workflowName]: definition.name,
      [ATTRIBUTE.workflowId]: definition.id,
      [ATTRIBUTE.executionId]: subject.id,
    },
    inherited: callerAttributes(subject),
    ...(links && { links }),
  })
  span.setContent(ATTRIBUTE.executionInput, () => subject.input)
  return span
}

/**
 * Starts the span of a continued execution: a child of the span that the record names, linked with it and with
 * the span that caused it to continue.
 */
export function startContinuedSpan(
  row: ExecutionRow,
  workflow: RegisteredWorkflow,
  { root, cause }: { readonly root: TraceScope; readonly cause: TraceScope | undefined },
): OpenSpan {
  const first = { span: { traceId: row.traceId, spanId: row.spanId }, attributes: link('continues') }
  const span = cause?.spanIds
  const links = span ? [first, { span, attributes: link('resumed_by') }] : [first]
  return startExecution(root.childOf(first.span), workflow, { subject: row, links })
}

/** Starts the span of the hooks of an execution, in its trace. */
export function startHooksSpan(
  row: ExecutionRow,
  { definition }: RegisteredWorkflow,
  root: TraceScope,
): OpenSpan {
  const scope = root.childOf({ traceId: row.traceId, spanId: row.spanId })
  return scope.isRecording ? scope.start(`hooks ${definition.id}`) : scope.start('')
}

export function forkedFrom({ traceId, spanId }: Pick<ExecutionRow, 'traceId' | 'spanId'>): SpanLink {
  return { span: { traceId, spanId }, attributes: link('forked_from') }
}

function link(kind: string): Record<string, string> {
  return { [ATTRIBUTE.linkKind]: kind }
}

/** Ends an execution's span with the status of its record. */
export function endExecution(span: OpenSpan, end: RunEnd): void {
  if (!span.isRecording) return
  if (end.kind === 'settled') setOutcome(span, end.outcome)
  else {
    const isRefused = end.kind === 'refused' || end.kind === 'full'
    span.setAttributes({ [ATTRIBUTE.executionStatus]: isRefused ? 'refused' : 'running' })
    if (end.kind === 'stopped' && !(end.cause instanceof RunAborted)) span.fail(end.cause)
  }
  span.end()
}

function setOutcome(span: OpenSpan, outcome: RunOutcome): void {
  span.setAttributes({ [ATTRIBUTE.executionStatus]: outcome.status })
  if (outcome.status === 'completed') span.setContent(ATTRIBUTE.executionOutput, () => outcome.output)
  if (outcome.status === 'error') span.fail(outcome.error)
}

/** The spans of an execution's steps. */
export class RunTrace {
  readonly #span: OpenSpan
  readonly #errors: ErrorRecording
  readonly #steps = new Map<string, OpenSpan>()

  constructor(span: OpenSpan, errors: ErrorRecording) {
    this.#span = span
    this.#errors = errors
  }

  /** The scope of the execution's span. */
  get scope(): TraceScope {
    return this.#span
  }

  /** Runs the function of a workflow. */
  run<T>(work: () => T): T {
    return this.#span.run(work)
  }

  /** Starts the span of a step, or of one attempt of it. */
  start({ step, path, input }: StepTask, attempt: number): OpenSpan {
    const outer = this.#enclosing(path)
    if (!outer.isRecording) return outer
    const span = outer.start(`step ${step.id}`, {
      attributes: {
        [ATTRIBUTE.stepId]: step.id,
        [ATTRIBUTE.stepPath]: path,
        [ATTRIBUTE.stepType]: step.type,
        [ATTRIBUTE.stepAttempt]: attempt,
      },
    })
    span.setContent(ATTRIBUTE.stepInput, () => input)
    this.#steps.set(path, span)
    return span
  }

  /** Ends a step's span with its outcome. */
  end({ path }: StepTask, span: OpenSpan, outcome: StepOutcome | 'skipped'): void {
    if (!span.isRecording) return
    this.#steps.delete(path)
    if (outcome === 'skipped') span.setAttributes(SKIPPED)
    else if ('suspended' in outcome) span.setAttributes(SUSPENDED)
    else {
      span.setAttributes(COMPLETED)
      span.setContent(ATTRIBUTE.stepOutput, () => outcome.output)
    }
    span.end()
  }

  /** Ends a step's span with its error. */
  fail(task: StepTask, span: OpenSpan, thrown: unknown): void {
    if (!span.isRecording) return
    this.#steps.delete(task.path)
    if (thrown instanceof SuspendSignal) span.setAttributes(SUSPENDED)
    else if (thrown instanceof RunAborted) span.setAttributes({ [ATTRIBUTE.stepStatus]: 'cancelled' })
    else {
      span.setAttributes({ [ATTRIBUTE.stepStatus]: 'error' })
      span.fail(thrown instanceof StepFailure ? thrown.recorded : recordStepError(thrown, task, this.#errors))
    }
    span.end()
  }

  /** The span of the step that encloses `path`, or of the execution. */
  #enclosing(path: string): OpenSpan {
    const end = path.lastIndexOf('/')
    return (end === -1 ? undefined : this.#steps.get(path.slice(0, end))) ?? this.#span
  }
}

const COMPLETED = { [ATTRIBUTE.stepStatus]: 'completed' }
const SUSPENDED = { [ATTRIBUTE.stepStatus]: 'suspended' }
const SKIPPED = { [ATTRIBUTE.stepStatus]: 'skipped' }
