import { ANSWER_STEP, isNestedIn } from '../../contract/step-path.ts'
import type { Scope } from '../../lib/async/scope.ts'
import type { StepRow } from '../../store/execution-store.ts'
import { agentIdIn } from '../agents/answer-workflow.ts'
import { requireStored } from '../record/commit.ts'
import type { DurableRecord } from '../record/execution-record.ts'
import { NO_SUSPICION } from '../record/step-rows.ts'
import { untilBoundary } from './steps/attempt.ts'
import { CrashLoopError } from './errors.ts'
import { MAX_CRASHES } from './trials.ts'
import type { Trials } from './trials.ts'

interface Evaluation {
  readonly scope: Scope
  /** Throws when the execution was asked to stop. */
  readonly checkpoint: () => void
}

/** Runs the functions of an execution's steps: those that were in flight at a crash of the process in their trial. */
export class CrashGuard {
  readonly #record: DurableRecord
  readonly #trials: Trials
  readonly #running = new Set<string>()
  /** The paths of the steps that are in their trial, which is also that of what they call. */
  readonly #tried = new Set<string>()

  constructor(record: DurableRecord, trials: Trials) {
    this.#record = record
    this.#trials = trials
  }

  /** @throws CrashLoopError when the step has crashed the process too often */
  check({ path, stepId, crashes }: Pick<StepRow, 'path' | 'stepId' | 'crashes'>): void {
    if (crashes < MAX_CRASHES) return
    throw new CrashLoopError(this.#answerOf(path) ?? `step "${stepId}"`, crashes)
  }

  /** Of the step that has the answer of an agent, the agent. */
  #answerOf(path: string): string | undefined {
    const { kind, workflowId } = this.#record.row
    return kind === 'answer' && path === ANSWER_STEP ? `agent "${agentIdIn(workflowId) ?? ''}"` : undefined
  }

  /**
   * Runs the work of a step at once, or, for a suspect, in its trial. Others wait while a suspect is tried alone, but for those
   * that it calls.
   */
  inTurn<T>(
    { path, row, scope }: { readonly path: string; readonly row: StepRow | undefined; readonly scope: Scope },
    work: () => Promise<T>,
  ): Promise<T> {
    for (const outer of this.#tried) if (isNestedIn(path, outer)) return work()
    if (row?.trial === 'waiting') return this.#inTrial(row, scope, work)
    return this.#trials.held ? this.#later(scope, work) : work()
  }

  /** Notes that a function of a step runs, until the returned function is called. */
  begin(path: string): () => void {
    this.#running.add(path)
    const leave = this.#trials.enter()
    return () => {
      leave()
      this.#running.delete(path)
    }
  }

  /** Runs a function of a step, after the step's start is stored. */
  async #run<T>(path: string, body: () => Promise<T>): Promise<T> {
    const end = this.begin(path)
    try {
      requireStored(await this.#record.commit())
      return await body()
    } finally {
      end()
    }
  }

  /**
   * Runs a function of a step without attempts, whose started row is staged. Crashes before and after it, such as during
   * the rounds of a loop, do not count against it.
   */
  async evaluate<T>(row: StepRow, { scope, checkpoint }: Evaluation, body: () => Promise<T>): Promise<T> {
    const { path } = row
    this.check(row)
    const value = await this.inTurn({ path, row, scope }, () => {
      checkpoint()
      const step = this.#record.steps.get(path)
      if (step && (step.exempt || step.trial !== null)) this.#change(step, { exempt: false, trial: null })
      return this.#run(path, body)
    })
    this.onProgress(path)
    return value
  }

  /** Part of a step's work was recorded: crashes from now on, in this attempt, do not count against it. */
  onProgress(path: string): void {
    const step = this.#record.steps.get(path)
    const isKnown = step?.exempt && step.crashes + step.suspected === 0 && step.trial === null
    if (step && !isKnown) this.#change(step, { ...NO_SUSPICION, exempt: true })
  }

  /** The process is about to end: that is not a crash of the running steps. */
  exemptRunning(): void {
    for (const path of this.#running) {
      const step = this.#record.steps.get(path)
      if (step) this.#change(step, { exempt: true })
    }
  }

  async #later<T>(scope: Scope, work: () => Promise<T>): Promise<T> {
    while (this.#trials.held) {
      await untilBoundary(this.#trials.held, this.#record, scope)
      if (this.#record.pause.reason) break
    }
    return work()
  }

  async #inTrial<T>(row: StepRow, scope: Scope, work: () => Promise<T>): Promise<T> {
    const { path, stepId, type, crashes, suspected } = row
    const { id } = this.#record
    const agent = this.#answerOf(path)
    const turn = this.#trials.join({
      id,
      name: agent === undefined ? `step "${stepId}" of execution ${id}` : `answer ${id} of ${agent}`,
      isAgent: type === 'andAgent',
      crashes,
      suspected,
      pass: () => {
        const step = this.#record.steps.get(path)
        if (step?.status === 'running' && step.trial === null) this.#change(step, { trial: 'passed' })
      },
    })
    try {
      await untilBoundary(turn.ready, this.#record, scope)
      this.#tried.add(path)
      return await work()
    } finally {
      this.#tried.delete(path)
      turn.end()
    }
  }

  #change(step: StepRow, change: Partial<Pick<StepRow, 'crashes' | 'suspected' | 'trial' | 'exempt'>>): void {
    if (!this.#record.closed) this.#record.stage({ step: { ...step, ...change } })
  }
}
