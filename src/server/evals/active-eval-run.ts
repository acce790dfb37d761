import { toNanoDollars } from '../../contract/usage/cost.ts'
import type { CaseResult } from '../../evals/run/case-result.ts'
import { runCases } from '../../evals/run/run-eval.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import type { ServerLogs } from '../../observability/logs/server-logs.ts'
import type { EvalRunEnd, NewEvalRun } from '../../store/evals/eval-store.ts'
import type { Store } from '../../store/store.ts'
import { evalCaseRecord, failureOf } from './eval-run-record.ts'
import { listedEval } from './saved-evals.ts'
import type { SavedCode, SavedEvals } from './saved-evals.ts'

export interface EvalRunDeps {
  /** Throws AppError `unavailable` while the database is not open. */
  readonly store: () => Pick<Store, 'evals' | 'traces' | 'dispatcher' | 'changes' | 'ownerEpoch'>
  /** Whether the project has traces. */
  readonly tracesOn: () => boolean
  /** `undefined` when no project can be loaded here. */
  readonly saved: SavedEvals | undefined
  readonly clock: Clock
  readonly logs: Pick<ServerLogs, 'logger' | 'redactor'>
}

interface ActiveEvalRunDeps extends Omit<EvalRunDeps, 'saved'> {
  readonly saved: SavedEvals
  /** Called after each change of the run. */
  readonly changed: () => void
}

/** A run in this process. */
export class ActiveEvalRun {
  readonly #row: NewEvalRun
  readonly #deps: ActiveEvalRunDeps
  readonly #evals: Store['evals']
  readonly #abort = new AbortController()
  #ended: Promise<void> | undefined

  constructor(row: NewEvalRun, deps: ActiveEvalRunDeps) {
    this.#row = row
    this.#deps = deps
    this.#evals = deps.store().evals
  }

  /** Runs the cases. Resolves when the code was closed. */
  run(): Promise<void> {
    return (this.#ended ??= this.#run())
  }

  /** Stops if somebody else has ended the run. */
  async look(): Promise<void> {
    const row = await this.#evals.get(this.#row.id)
    if (row?.status !== 'running') this.#abort.abort()
  }

  /** Stops, since the server does. */
  async interrupt(): Promise<void> {
    this.#abort.abort()
    await this.#ended
  }

  async #run(): Promise<void> {
    let code: SavedCode | undefined
    try {
      const traces = this.#deps.tracesOn() ? this.#deps.store().traces : undefined
      code = await this.#deps.saved.open(traces)
      await this.#runCases(code, traces !== undefined)
      // a run that was cancelled has ended already
      await this.#end({ status: this.#abort.signal.aborted ? 'interrupted' : 'completed', error: null })
    } catch (error) {
      const failure = failureOf(error, this.#deps.logs.redactor.text)
      if (!(error instanceof AppError))
        this.#deps.logs.logger.error({ err: error, evalRunId: this.#row.id }, 'A run of an eval failed')
      await this.#end({ status: 'failed', error: JSON.stringify(failure) })
    } finally {
      await code?.close().catch((err: unknown) => this.#report(err))
    }
  }

  async #runCases(code: SavedCode, isTraced: boolean): Promise<void> {
    const { id, evalId } = this.#row
    const { signal } = this.#abort
    const one = code.planned.find((each) => each.id === evalId)
    if (!one) throw new AppError('invalid_config', `There is no eval "${evalId}"`)
    const { client, served } = await code.serve(one)
    await this.#evals.plan(id, listedEval(one))
    this.#deps.changed()
    let broken: CaseResult | undefined
    const onCase = async (result: CaseResult, position: number) => {
      if (result.broken) broken ??= result
      const traceId = isTraced ? result.traceId : undefined
      const record = evalCaseRecord({ ...result, traceId }, position, code.redact)
      const isRunning = await this.#evals.addCase(id, {
        position,
        score: record.score,
        costNano: record.costUsd === null ? null : toNanoDollars(record.costUsd),
        result: JSON.stringify(record),
      })
      if (isRunning) this.#deps.changed()
      else this.#abort.abort()
    }
    await runCases(served, { client, repeat: 1, signal, onCase })
    // its score says nothing
    if (broken) throw new AppError('invalid_config', `${broken.id}: ${broken.error ?? ''}`)
  }

  async #end(end: Omit<EvalRunEnd, 'endedAt'>): Promise<void> {
    try {
      await this.#evals.end(this.#row.id, { ...end, endedAt: this.#deps.clock.now() })
      this.#deps.changed()
    } catch (error) {
      this.#report(error)
    }
  }

  #report(err: unknown): void {
    this.#deps.logs.logger.error({ err, evalRunId: this.#row.id }, 'A run of an eval could not be ended')
  }
}
