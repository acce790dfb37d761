import type { OutageLog } from './outage-log.ts'
import { PollLoop } from './poll-loop.ts'
import type { Rescue } from './rescue.ts'
import type { DispatchTiming } from './timing.ts'

export interface StrayExecutionsDeps {
  readonly rescue: Rescue
  /** Resolves with the owner epochs of the processes that are alive, read after the call. */
  readonly aliveEpochs: () => Promise<readonly number[]>
  readonly timing: DispatchTiming
  readonly outage: OutageLog
}

/**
 * Finds running executions for which there are no jobs, as after a copy of the database, when a machine starts. Looks
 * twice: a machine that was taken for dead may just be about to rejoin.
 */
export class StrayExecutions {
  readonly #deps: StrayExecutionsDeps
  readonly #loop = new PollLoop(() => this.#look())
  #found: readonly number[] | undefined

  constructor(deps: StrayExecutionsDeps) {
    this.#deps = deps
  }

  start(): void {
    this.#loop.start()
  }

  async stop(): Promise<void> {
    await this.#loop.stop()
  }

  async #look(): Promise<number | undefined> {
    const { rescue, timing, outage } = this.#deps
    try {
      const owners = await this.#deadOwners()
      const before = this.#found
      this.#found = owners
      if (!before) return owners.length > 0 ? timing.leaseMs : undefined
      await rescue.adopt(owners.filter((owner) => before.includes(owner)))
      return undefined
    } catch (error) {
      outage.failed('looking for lost executions', error)
      return timing.leaseMs
    }
  }

  async #deadOwners(): Promise<readonly number[]> {
    const owners = await this.#deps.rescue.owners()
    const alive = new Set(await this.#deps.aliveEpochs())
    return owners.filter((owner) => !alive.has(owner))
  }
}
