import type { ExecutionResult } from '../../contract/event.ts'
import type { CancelResult, SuspendPending, SuspendResult } from '../../contract/endpoints/execution.ts'
import type { User } from '../../contract/auth.ts'
import { delay, toIso } from '../../lib/clock.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import { toJson } from '../../lib/json/index.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import type { Store } from '../../store/store.ts'
import type { EmbeddedHost } from './embedded-host.ts'
import type { Run } from '../run/run.ts'
import type { Registry } from '../registry.ts'
import { recordedResult, resultOf } from './result.ts'
import { forkedFrom as forkedFromLink } from '../run/run-trace.ts'
import { resumeExecution } from './resume.ts'
import { replayed } from './replay.ts'
import { validInput } from '../record/valid-input.ts'

export interface ExecuteOptions {
  readonly executionId?: string | undefined
  readonly userId?: string | undefined
  readonly conversationId?: string | undefined
  readonly context?: Readonly<Record<string, unknown>> | undefined
  /** The authenticated user; `userId` does not count then, not even where the user has no id. */
  readonly user?: User | undefined
  /** What the execution's span is below. */
  readonly trace?: TraceScope | undefined
}

export interface ResumeOptions {
  /** The step that must be the suspended one. */
  readonly stepId?: string | undefined
  /** Where it was asked for. */
  readonly trace?: TraceScope | undefined
}

export interface ReplayOptions {
  /** Takes the place of the step's input. */
  readonly input?: unknown
  readonly trace?: TraceScope | undefined
}

/** An execution that has begun. */
export interface StartedExecution {
  readonly executionId: string
  readonly startAt: string
  /** Waits until the execution is stored. */
  readonly stored: () => Promise<void>
  /** Waits until it is at rest. */
  readonly result: () => Promise<ExecutionResult>
}

/** One execution, and the workflow it was asked for under; without one, any. */
export interface ExecutionRef {
  readonly executionId: string
  readonly workflowId?: string
}

export interface ControlOptions {
  readonly store: Store
  readonly clock: Clock
  readonly host: EmbeddedHost
  readonly registry: () => Registry
  readonly warn: (text: string) => void
  /** How long suspend waits for a step boundary, in milliseconds. */
  readonly suspendWaitMs: number
}

/** Starts, suspends, resumes, cancels and replays executions. */
export class Control {
  readonly #options: ControlOptions

  constructor(options: ControlOptions) {
    this.#options = options
  }

  async execute(workflowId: string, input: unknown, options: ExecuteOptions = {}): Promise<StartedExecution> {
    const { host, registry } = this.#options
    const workflow = registry().get(workflowId)
    const run = host.begin({
      workflow,
      input: await validInput(workflow, input),
      context: toJson(options.context ?? {}, 'context'),
      id: options.executionId,
      userId: (options.user ? options.user.id : options.userId) ?? null,
      user: options.user ? toJson(options.user, 'user') : null,
      conversationId: options.conversationId ?? null,
      trace: options.trace,
    })
    return started(run)
  }

  /** Parks a running execution at its next step boundary, or answers what is pending when that takes long. */
  async suspend(ref: ExecutionRef, reason = 'Suspended by request'): Promise<SuspendResult | SuspendPending> {
    const { host, suspendWaitMs, clock } = this.#options
    const row = await this.find(ref)
    if (row.status !== 'running') throw notSuspendable(row)
    const requestedAt = toIso(clock.now())
    const suspendRequest = JSON.stringify({ reason, requestedAt })
    // one that a dead process left running is taken up only to be parked
    const run = host.live(row.id) ?? (await host.takeOver({ ...row, suspendRequest }))
    if (!run || run.record.closed) throw notSuspendable(row)
    run.record.stage({ set: { suspendRequest } })
    run.park(reason)
    const timer = new AbortController()
    const wait = delay(suspendWaitMs, timer.signal).catch(() => undefined)
    const end = await Promise.race([run.ended, wait])
    timer.abort()
    if (!end) return { executionId: row.id, status: 'running', suspension: { requestedAt, reason } }
    if (end.kind !== 'rest' || end.rest.status !== 'suspended') throw notSuspendable(await this.find(ref))
    const { at, request } = end.rest
    return {
      executionId: row.id,
      status: 'suspended',
      suspension: { suspendedAt: toIso(at), reason: request.reason },
    }
  }

  async resume(
    ref: ExecutionRef,
    resumeData: unknown,
    options: ResumeOptions = {},
  ): Promise<ExecutionResult> {
    const row = await this.find(ref)
    await resumeExecution(row, { resumeData, ...options }, this.#options)
    const run = this.#options.host.live(row.id)
    return run ? resultOf(row, await run.ended) : recordedResult(await this.find(ref))
  }

  async cancel(ref: ExecutionRef, reason = 'Cancelled by request'): Promise<CancelResult> {
    const { id } = await this.find(ref)
    const rest = await this.#options.host.cancel(id, reason)
    if (!rest) throw notCancellable(await this.find(ref))
    return { executionId: id, status: 'cancelled', cancelledAt: toIso(rest.at), reason }
  }

  /** Starts a new execution that copies what came before `stepId`. */
  async replay(ref: ExecutionRef, stepId: string, options: ReplayOptions): Promise<StartedExecution> {
    const { input, trace } = options
    const { clock, host, registry, store } = this.#options
    const row = await this.find(ref)
    const workflow = registry().get(row.workflowId)
    const steps = await store.executions.steps(row.id)
    const copied = replayed(steps, {
      workflow,
      stepId,
      now: clock.now(),
      input: input === undefined ? undefined : toJson(input, 'input'),
    })
    const { input: original, context, userId, conversationId, user } = row
    const forkedFrom = JSON.stringify({ executionId: row.id, stepId })
    return started(
      host.begin({
        workflow,
        input: original,
        context,
        userId,
        conversationId,
        user,
        forkedFrom,
        steps: copied,
        trace,
        links: [forkedFromLink(row)],
      }),
    )
  }

  /** The row of an execution. Under another workflow's id it is not found. */
  async find({ executionId, workflowId }: ExecutionRef): Promise<ExecutionRow> {
    const row = await this.#options.store.executions.get(executionId)
    if (!row || (workflowId !== undefined && row.workflowId !== workflowId)) {
      if (workflowId !== undefined) this.#options.registry().get(workflowId)
      throw new AppError('not_found', `Execution not found: ${executionId}`)
    }
    return row
  }
}

function started(run: Run): StartedExecution {
  const { row } = run.record
  return {
    executionId: row.id,
    startAt: toIso(row.createdAt),
    stored: async () => {
      if (!(await run.begun())) throw new AppError('conflict', `Execution id already used: ${row.id}`)
    },
    result: () => run.ended.then((end) => resultOf(row, end)),
  }
}

function notSuspendable({ id, status }: ExecutionRow): AppError {
  return new AppError('not_suspendable', `Execution can't be suspended: ${id} is ${status}`)
}

function notCancellable({ id, status }: ExecutionRow): AppError {
  return new AppError('not_cancellable', `Execution can't be cancelled: ${id} is ${status}`)
}
