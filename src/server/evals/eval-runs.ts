import type {
  EvalCase,
  EvalRun,
  EvalRunDetail,
  EvalSummary,
  PlannedCase,
} from '../../contract/endpoints/project/evals.ts'
import type { EvalRunEvent } from '../../contract/endpoints/project/evals.ts'
import type { CaseTarget } from '../../contract/evals/case.ts'
import { NO_EVAL } from '../../evals/run/plan.ts'
import type { OutgoingEvent } from '../../http/reply/reply.ts'
import type { EvalBoard } from '../../http/services.ts'
import { EventHub } from '../../lib/async/event-hub.ts'
import { WakeUp } from '../../lib/async/wake-up.ts'
import { didYouMean } from '../../lib/did-you-mean.ts'
import { AppError } from '../../lib/errors.ts'
import { uuidV7Generator } from '../../lib/ids.ts'
import type { EvalRunRow } from '../../store/evals/eval-store.ts'
import type { Page } from '../../store/page.ts'
import { ActiveEvalRun } from './active-eval-run.ts'
import type { EvalRunDeps } from './active-eval-run.ts'
import { evalRunRecord, failureOf } from './eval-run-record.ts'

/** Runs at the same time in this process; each loads the project's code. */
const MAX_RUNNING = 4
const RETRY_AFTER_S = 10
/** Cases that a stream reads at a time. */
const STREAMED_CASES = 50

/** The runs of evals: starts them with the code as saved, and reads those that are kept. */
export class EvalRuns implements EvalBoard {
  readonly #deps: EvalRunDeps
  readonly #newId = uuidV7Generator()
  readonly #running = new Map<string, ActiveEvalRun>()
  /** Runs that change, by id. */
  readonly #changes = new EventHub()
  #unfollow: (() => void) | undefined
  #isClosed = false

  constructor(deps: EvalRunDeps) {
    this.#deps = deps
  }

  /** Follows the runs of other machines, and ends those whose process has died. */
  async start(): Promise<void> {
    const { changes, evals } = this.#deps.store()
    this.#unfollow ??= changes.follow({
      watched: () => [...this.#changes.topics(), ...this.#running.keys()],
      onChange: (id) => {
        this.#changes.publish(id)
        void this.#running.get(id)?.look()
      },
    })
    for (const row of await evals.running()) await this.#settled(row)
  }

  async list(): Promise<readonly EvalSummary[]> {
    const { saved, logs, store } = this.#deps
    const newest = await this.#settledAll(await store().evals.newest())
    const lastRun = (id: string) => {
      const row = newest.find(({ evalId }) => evalId === id)
      return row ? evalRunRecord(row) : null
    }
    try {
      const evals = (await saved?.list()) ?? []
      return evals.map(({ id, target, threshold, cases }) => ({
        id,
        target: target === null ? null : (JSON.parse(target) as CaseTarget),
        threshold,
        cases,
        lastRun: lastRun(id),
        problem: null,
      }))
    } catch (error) {
      const problem = failureOf(error, logs.redactor.text)
      const ids = newest.length > 0 ? newest.map(({ evalId }) => evalId) : [NO_EVAL]
      return ids.map((id) => ({
        id,
        target: null,
        threshold: null,
        cases: null,
        lastRun: lastRun(id),
        problem,
      }))
    }
  }

  async cases(
    evalId: string,
    { limit, offset, caseId }: Page & { readonly caseId: string | undefined },
  ): Promise<{ readonly cases: readonly PlannedCase[]; readonly total: number }> {
    const { saved, store } = this.#deps
    const evals = await saved?.list().catch(() => undefined)
    const one = evals?.find(({ id }) => id === evalId)
    if (!one && (await store().evals.count(evalId)) === 0) await this.#requireEval(evalId)
    const { planned: all = [] } = one ?? {}
    const planned = caseId === undefined ? all : all.filter(({ id }) => id === caseId)
    return { cases: planned.slice(offset, offset + limit), total: planned.length }
  }

  async runs(
    evalId: string,
    page: Page,
  ): Promise<{ readonly runs: readonly EvalRun[]; readonly total: number }> {
    const { evals } = this.#deps.store()
    const [rows, total] = await Promise.all([evals.list(evalId, page), evals.count(evalId)])
    if (total === 0) await this.#requireEval(evalId)
    return { runs: (await this.#settledAll(rows)).map((row) => evalRunRecord(row)), total }
  }

  async run(evalId: string): Promise<EvalRun> {
    const { saved, clock, store } = this.#deps
    if (!saved)
      throw new AppError('conflict', 'Evals run under "agentserver dev" and "agentserver start" only')
    await this.#requireEval(evalId)
    const { evals, ownerEpoch } = store()
    const others = await this.#settledAll(await evals.running())
    if (others.some((other) => other.evalId === evalId && other.status === 'running')) throw isRunning(evalId)
    if (this.#isClosed) throw new AppError('unavailable', 'Not ready')
    if (this.#running.size >= MAX_RUNNING)
      throw new AppError('too_many_requests', `${MAX_RUNNING} evals are running`, {
        hint: 'Wait until one has ended',
        headers: { 'Retry-After': String(RETRY_AFTER_S) },
      })
    const row = { id: this.#newId(), evalId, ownerEpoch, startedAt: clock.now(), commit: saved.commit() }
    const active = new ActiveEvalRun(row, { ...this.#deps, saved, changed: () => this.#changed(row.id) })
    this.#running.set(row.id, active)
    try {
      if (!(await evals.insert(row))) throw isRunning(evalId)
    } catch (error) {
      this.#running.delete(row.id)
      throw error
    }
    void active.run().finally(() => this.#running.delete(row.id))
    return evalRunRecord(await this.#find(row.id))
  }

  async detail(id: string, page: Page): Promise<EvalRunDetail> {
    const row = await this.#find(id)
    const cases = await this.#deps.store().evals.cases(id, page)
    return { ...evalRunRecord(row), results: cases.map((text) => JSON.parse(text) as EvalCase) }
  }

  /** @throws AppError `not_found`. The events have the numbers from 1: the start, each case that ends, and the end. */
  async follow(id: string, after: number, signal: AbortSignal): Promise<AsyncGenerator<OutgoingEvent>> {
    await this.#find(id)
    return this.#events(id, after, signal)
  }

  async cancel(id: string): Promise<EvalRun> {
    const { evals } = this.#deps.store()
    const row = await this.#find(id)
    const isEnded = await evals.end(id, { status: 'cancelled', endedAt: this.#deps.clock.now(), error: null })
    if (!isEnded) throw new AppError('conflict', `The run has ended: ${row.status}`)
    this.#changed(id)
    await this.#running.get(id)?.look()
    return evalRunRecord(await this.#find(id))
  }

  /** Ends the runs of this process as interrupted. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#unfollow?.()
    await Promise.all([...this.#running.values()].map((active) => active.interrupt()))
  }

  async *#events(id: string, after: number, signal: AbortSignal): AsyncGenerator<OutgoingEvent> {
    const change = new WakeUp()
    const unsubscribe = this.#changes.subscribe(id, change.notify)
    signal.addEventListener('abort', change.notify)
    const event = (seq: number, data: EvalRunEvent) => ({ seq, data: JSON.stringify(data) })
    try {
      for (let seq = after; !signal.aborted; await change.wait()) {
        const row = await this.#find(id)
        const run = evalRunRecord(row)
        if (seq === 0 && row.cases !== null) yield event(++seq, { type: 'run-start', run })
        while (seq > 0 && seq <= row.endedCases) {
          const cases = await this.#deps.store().evals.cases(id, { limit: STREAMED_CASES, offset: seq - 1 })
          for (const text of cases) yield { seq: ++seq, data: `{"type":"case-end","case":${text}}` }
        }
        if (row.status === 'running') continue
        if (seq < row.endedCases + 2) yield event(row.endedCases + 2, { type: 'run-end', run })
        return
      }
    } finally {
      unsubscribe()
      signal.removeEventListener('abort', change.notify)
    }
  }

  /** @throws AppError `not_found` for an eval that is not in the code. Nothing is known when that can't be loaded. */
  async #requireEval(evalId: string): Promise<void> {
    const { saved } = this.#deps
    const evals = (await saved?.list().catch(() => undefined)) ?? (saved ? undefined : [])
    if (evals === undefined || evals.some(({ id }) => id === evalId)) return
    const near = didYouMean(
      evalId,
      evals.map(({ id }) => id),
    )
    throw new AppError(
      'not_found',
      `Eval not found: ${evalId}`,
      near === undefined ? {} : { hint: `Did you mean "${near}"?` },
    )
  }

  async #find(id: string): Promise<EvalRunRow> {
    const row = await this.#deps.store().evals.get(id)
    if (row) return this.#settled(row)
    throw new AppError('not_found', `Run not found: ${id}`)
  }

  #settledAll(rows: readonly EvalRunRow[]): Promise<EvalRunRow[]> {
    return Promise.all(rows.map((row) => this.#settled(row)))
  }

  /** The row; as interrupted, if its process has died. */
  async #settled(row: EvalRunRow): Promise<EvalRunRow> {
    const { evals, dispatcher } = this.#deps.store()
    if (row.status !== 'running' || (await dispatcher.isAlive(row.ownerEpoch))) return row
    const end = { status: 'interrupted', endedAt: this.#deps.clock.now(), error: null } as const
    await evals.end(row.id, end)
    this.#changed(row.id)
    return (await evals.get(row.id)) ?? { ...row, ...end }
  }

  #changed(id: string): void {
    this.#changes.publish(id)
    this.#deps.store().changes.announce([id])
  }
}

function isRunning(evalId: string): AppError {
  return new AppError('conflict', `The eval "${evalId}" is running`, {
    hint: 'Wait until it has ended, or cancel it',
  })
}
