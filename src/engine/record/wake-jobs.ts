import type { JobChange, ScheduledJob } from '../../store/dispatcher.ts'
import type { StepRow } from '../../store/execution-store.ts'

/** Long after the process has looked itself. */
const CHILD_CHECK_MS = 5000

/** The stored jobs that wake the steps of an execution. They change with its record. */
export class WakeJobs {
  readonly #executionId: string
  /** Paths of the steps that have a job. */
  readonly #paths = new Set<string>()
  /** By key; `undefined` drops the job. */
  #staged = new Map<string, ScheduledJob | undefined>()

  constructor(executionId: string) {
    this.#executionId = executionId
  }

  /** The jobs of a stored execution; `undefined` when no step of it waits. */
  static of(executionId: string, steps: readonly StepRow[]): WakeJobs | undefined {
    const waiting = steps.filter(({ wakeAt }) => wakeAt !== null)
    if (waiting.length === 0) return undefined
    const jobs = new WakeJobs(executionId)
    for (const { path } of waiting) jobs.#paths.add(path)
    return jobs
  }

  /** Wakes a step, unless the execution has gone on since its event `sequence`. */
  add(path: string, { at, sequence }: { readonly at: number; readonly sequence: number }): void {
    const key = this.#key(path)
    this.#paths.add(path)
    this.#staged.set(key, { key, at, job: { kind: 'wake', id: this.#executionId, sequence } })
  }

  /** Has a parent resumed whose child was not suspended any more when the parent was, if this process dies before it looks. */
  checkChild(path: string, { at, sequence }: { readonly at: number; readonly sequence: number }): void {
    this.add(path, { at: at + CHILD_CHECK_MS, sequence })
  }

  drop(path: string): void {
    if (this.#paths.delete(path)) this.#staged.set(this.#key(path), undefined)
  }

  dropAll(): void {
    for (const path of this.#paths) this.drop(path)
  }

  /** Returns the staged changes and clears them. */
  drain(): JobChange | undefined {
    if (this.#staged.size === 0) return undefined
    const staged = [...this.#staged]
    this.#staged = new Map()
    return {
      add: staged.flatMap(([, job]) => job ?? []),
      drop: staged.flatMap(([key, job]) => (job ? [] : key)),
    }
  }

  #key(path: string): string {
    return `wake:${this.#executionId}:${path}`
  }
}
