import { sumUsage, UNKNOWN_USAGE } from '../../../agent/answer/usage.ts'
import type { Usage } from '../../../contract/agent-event.ts'

/** The usage of a run's own model calls, while it runs. */
export class RunUsage {
  readonly #calls: Usage[] = []
  readonly #recalled: Usage[] = []
  /** The calls that have not ended. */
  #open = 0

  beginCall(): void {
    this.#open++
  }

  endCall(): void {
    this.#open--
  }

  /** Adds the usage of a model call. */
  add(usage: Usage): void {
    this.#calls.push(usage)
  }

  /** Adds the usage of a model call that an earlier process has made, and counted. */
  addRecalled(usage: Usage): void {
    this.#recalled.push(usage)
  }

  /** One for each call so far; that of calls in progress is not known. */
  get soFar(): readonly Usage[] {
    const open = Array.from({ length: this.#open }, () => UNKNOWN_USAGE)
    return [...this.#recalled, ...this.#calls, ...open]
  }

  /** What metrics count: the calls of this process whose usage is known. */
  get metered(): Usage {
    return sumUsage(this.#calls.filter((usage) => usage !== UNKNOWN_USAGE))
  }
}
