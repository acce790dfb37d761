import type { JobChange, ScheduledJob } from '../../store/dispatcher.ts'

/** The stored jobs that wake the steps of an execution. They change with its record. */
export class WakeJobs {
  readonly #executionId: string
  /** Paths of the steps that have a job. */
  readonly #paths: Set<string>
  /** By key; `undefined` drops the job. */
  #staged = new Map<string, ScheduledJob | undefined>()

  constructor(executionId: string, paths: Iterable<string> = []) {
    this.#executionId = executionId
    this.#paths = new Set(paths)
  }

  /** Wakes a step, unless the execution has gone on since its event `sequence`. */
  add(path: string, { at, sequence }: { readonly at: number; readonly sequence: number }): void {
    const key = this.#key(path)
    this.#paths.add(path)
    this.#staged.set(key, { key, at, job: { kind: 'wake', id: this.#executionId, sequence } })
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
