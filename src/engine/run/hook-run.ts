import type { FinalStatus } from '../../contract/is-final.ts'
import { hookPath } from '../../contract/step-path.ts'
import { createDeferred } from '../../lib/async/wake-up.ts'
import { Scope } from '../../lib/async/scope.ts'
import type { ExecutionRow, StepRow } from '../../store/execution-store.ts'
import type { StepDefinition } from '../../workflow/definition.ts'
import type { Hook } from '../../workflow/hooks.ts'
import { defineStep } from '../../workflow/step.ts'
import { isStored, requireStored } from '../record/commit.ts'
import type { DurableRecord } from '../record/execution-record.ts'
import { failedRow } from '../record/step-rows.ts'
import { CrashGuard } from './crash-guard.ts'
import { CrashLoopError, RunAborted, StepFailure, SuspendSignal, recordError, storedError } from './errors.ts'
import { runStep } from './recorded-step.ts'
import type { RunDeps } from './run.ts'
import type { StepDeps } from './step-deps.ts'
import { cancelOpen } from './steps/branches.ts'
import { RunActivity } from './steps/run-activity.ts'

const RETRIES = 5
/** Attempts that ended with their process, after which a hook is the cause. */
const MAX_INTERRUPTED = 10

/**
 * The hooks of an execution that has ended, while they run in this process. Each is recorded as a step beside those of the
 * workflow. The stored job that starts them is dropped with their last change.
 */
export class HookRun {
  readonly record: DurableRecord
  /** Resolves when they have ended, or have to continue in another process. */
  readonly ended: Promise<void>
  readonly #deps: RunDeps
  readonly #ended = createDeferred<void>()
  readonly #scope = new Scope()
  readonly #crashes: CrashGuard
  readonly #waits = new Set<() => void>()
  #stop: RunAborted | undefined

  constructor(deps: RunDeps) {
    this.#deps = deps
    this.record = deps.record
    this.#crashes = new CrashGuard(deps.record, deps.trials)
    this.ended = this.#ended.promise
    deps.record.onFenced = () => this.abort()
  }

  start(hooks: readonly Hook[], jobKey: string): void {
    this.#run(hooks, jobKey)
      .catch((err: unknown) => {
        this.abort()
        // another machine has them, the record was deleted, or the server stops
        if (err instanceof RunAborted) return
        const { logger, logBindings } = this.#deps.context
        logger.error({ ...logBindings, err }, 'The hooks of the execution were interrupted; they go on later')
      })
      .finally(() => this.#ended.resolve())
  }

  /** The time of a retry has come: those that wait look again. */
  wake(): void {
    for (const look of this.#waits) look()
  }

  /** Stops before the next attempt. `abortSignals` aborts the signals of the running hooks. */
  requestStop({ abortSignals = false } = {}): void {
    this.#stop = new RunAborted('stopping', 'The server is stopping')
    this.record.pause.abort(this.#stop)
    if (abortSignals) this.#scope.abortSignals(this.#stop)
  }

  /** Stops immediately; the running attempts are not recorded. */
  abort(): void {
    this.record.close()
    this.#scope.abort(new RunAborted('stopping', 'The server is stopping'))
  }

  async #run(hooks: readonly Hook[], jobKey: string): Promise<void> {
    // this process becomes their owner
    requireStored(await this.record.commit())
    const deps: StepDeps = {
      ...this.#deps,
      crashes: this.#crashes,
      activity: new RunActivity(),
      stopRequest: () => this.#stop,
      waits: this.#waits,
      onCall: (path) => this.#deps.onCall?.({ executionId: this.record.id, path }),
      collectsAt: undefined,
    }
    await Promise.all(hooks.map((hook) => this.#runHook(deps, hook)))
    this.record.close({ jobs: { drop: [jobKey] } })
    isStored(await this.record.commit())
  }

  async #runHook(deps: StepDeps, hook: Hook): Promise<void> {
    const { record } = this
    const path = hookPath(hook.name)
    const step = hookStep(hook, record.row)
    try {
      const row = record.steps.get(path)
      if (row?.status === 'running' && row.attempts - row.failures > MAX_INTERRUPTED)
        return this.#fail(row, new CrashLoopError(`hook "${hook.name}"`, row.attempts - row.failures))
      await runStep(deps, this.#scope, { step, path, rounds: [], data: record.row.input, index: 0 })
    } catch (error) {
      if (error instanceof StepFailure) return this.#logFailure(hook.name, error.cause ?? error.recorded)
      if (!(error instanceof SuspendSignal)) throw error
      await cancelOpen(deps, [{ paths: [path] }], 'A hook does not wait')
      const row = record.steps.get(path)
      if (row) this.#fail(row, new TypeError(`A hook can't wait: ${error.message}`))
    }
  }

  #fail(row: StepRow, error: Error): void {
    const { record } = this
    record.stage({ step: failedRow(row, record.now(), recordError(error, this.#deps.errors)) })
    this.#logFailure(row.stepId, error)
  }

  #logFailure(hook: string, err: unknown): void {
    const { logger, logBindings } = this.#deps.context
    logger.error({ ...logBindings, hook, err }, 'A hook of the execution failed')
  }
}

/** Calls a hook as a step. */
function hookStep({ name, call }: Hook, row: ExecutionRow): StepDefinition {
  const { status, output, error, workflowId } = row
  return defineStep(
    'andThen',
    { id: name, retries: RETRIES },
    {
      run: (runtime) =>
        runtime.invoke(async ({ step, input, executionId, attempt, idempotencyKey, signal, logger }) => {
          await call({
            status: status as FinalStatus,
            result: output === null ? undefined : (JSON.parse(output) as unknown),
            error: error === null ? undefined : storedError(error),
            executionId,
            workflowId,
            input,
            // without the calls that wait, by its type
            step,
            attempt,
            idempotencyKey,
            signal,
            logger,
          })
        }),
    },
  )
}
