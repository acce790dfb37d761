import { ATTRIBUTE, OPERATION } from '../../contract/attributes.ts'
import type { OpenSpan, SpanLink, TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import type { StepOutcome, StepTask } from './durable-io.ts'
import { RunAborted, Parked, StepFailure, recordError } from './errors.ts'
import type { ErrorRecording } from './errors.ts'
import type { RegisteredWorkflow } from '../registry.ts'
import type { RunEnd } from './run.ts'
import type { RunOutcome } from '../record/execution-events.ts'

type Subject = Pick<ExecutionRow, 'id' | 'userId' | 'conversationId' | 'input'>

/** Starts the span of an execution, or of the part of one that begins when it goes on. */
export function startExecution(
  scope: TraceScope,
  { definition }: RegisteredWorkflow,
  { subject, links }: { readonly subject: Subject; readonly links?: readonly SpanLink[] },
): OpenSpan {
  if (!scope.records) return scope.start('')
  const span = scope.start(`${OPERATION.workflow} ${definition.id}`, {
    attributes: {
      [ATTRIBUTE.operation]: OPERATION.workflow,
      [ATTRIBUTE.workflowName]: definition.name,
      [ATTRIBUTE.workflowId]: definition.id,
      [ATTRIBUTE.executionId]: subject.id,
      [ATTRIBUTE.userId]: subject.userId ?? undefined,
      [ATTRIBUTE.conversationId]: subject.conversationId ?? undefined,
    },
    ...(links && { links }),
  })
  span.content(ATTRIBUTE.executionInput, () => subject.input)
  return span
}

/**
 * The span of an execution that goes on: it is below the span that the record names, and linked with it and with
 * what made it go on.
 */
export function continueExecution(
  row: ExecutionRow,
  workflow: RegisteredWorkflow,
  { root, cause }: { readonly root: TraceScope; readonly cause: TraceScope | undefined },
): OpenSpan {
  const begun = { place: { traceId: row.traceId, spanId: row.spanId }, attributes: link('continues') }
  const place = cause?.place
  const links = place ? [begun, { place, attributes: link('resumed_by') }] : [begun]
  return startExecution(root.at(begun.place), workflow, { subject: row, links })
}

export function forkedFrom({ traceId, spanId }: Pick<ExecutionRow, 'traceId' | 'spanId'>): SpanLink {
  return { place: { traceId, spanId }, attributes: link('forked_from') }
}

function link(kind: string): Record<string, string> {
  return { [ATTRIBUTE.linkKind]: kind }
}

/** Ends an execution's span with what its record says then. */
export function endExecution(span: OpenSpan, end: RunEnd): void {
  if (!span.records) return
  if (end.kind === 'rest') endAtRest(span, end.rest)
  else {
    span.set({ [ATTRIBUTE.executionStatus]: end.kind === 'refused' ? 'refused' : 'running' })
    if (end.kind === 'stopped' && !(end.cause instanceof RunAborted)) span.fail(end.cause)
  }
  span.end()
}

function endAtRest(span: OpenSpan, rest: RunOutcome): void {
  span.set({ [ATTRIBUTE.executionStatus]: rest.status })
  if (rest.status === 'completed') span.content(ATTRIBUTE.executionOutput, () => rest.output)
  if (rest.status === 'error') span.fail(rest.error)
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

  /** Starts the span of a step, or of one attempt of it. */
  start({ step, path, input }: StepTask, attempt: number): OpenSpan {
    const outer = this.#around(path)
    if (!outer.records) return outer
    const span = outer.start(`step ${step.id}`, {
      attributes: {
        [ATTRIBUTE.stepId]: step.id,
        [ATTRIBUTE.stepPath]: path,
        [ATTRIBUTE.stepType]: step.type,
        [ATTRIBUTE.stepAttempt]: attempt,
      },
    })
    span.content(ATTRIBUTE.stepInput, () => input)
    this.#steps.set(path, span)
    return span
  }

  /** Ends a step's span with its outcome. */
  end({ path }: StepTask, span: OpenSpan, outcome: StepOutcome | 'skipped'): void {
    if (!span.records) return
    this.#steps.delete(path)
    if (outcome === 'skipped') span.set(SKIPPED)
    else if ('suspended' in outcome) span.set(SUSPENDED)
    else {
      span.set(COMPLETED)
      span.content(ATTRIBUTE.stepOutput, () => outcome.output)
    }
    span.end()
  }

  /** Ends a step's span with what it threw. */
  fail({ path }: StepTask, span: OpenSpan, thrown: unknown): void {
    if (!span.records) return
    this.#steps.delete(path)
    if (thrown instanceof Parked) span.set(SUSPENDED)
    else if (thrown instanceof RunAborted) span.set({ [ATTRIBUTE.stepStatus]: 'cancelled' })
    else {
      span.set({ [ATTRIBUTE.stepStatus]: 'error' })
      span.fail(thrown instanceof StepFailure ? thrown.recorded : recordError(thrown, this.#errors))
    }
    span.end()
  }

  /** The span of the step that `path` is within, or of the execution. */
  #around(path: string): OpenSpan {
    const end = path.lastIndexOf('/')
    return (end === -1 ? undefined : this.#steps.get(path.slice(0, end))) ?? this.#span
  }
}

const COMPLETED = { [ATTRIBUTE.stepStatus]: 'completed' }
const SUSPENDED = { [ATTRIBUTE.stepStatus]: 'suspended' }
const SKIPPED = { [ATTRIBUTE.stepStatus]: 'skipped' }
