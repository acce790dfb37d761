import type { OutageLog } from './outage-log.ts'
import { PollLoop } from './poll-loop.ts'
import type { TakeOver } from './take-over.ts'
import type { DispatchTiming } from './timing.ts'

export interface OrphanedExecutionsDeps {
  readonly takeOver: TakeOver
  /** Resolves with the owner epochs of the processes that are alive, read after the call. */
  readonly aliveEpochs: () => Promise<readonly number[]>
  readonly timing: DispatchTiming
  readonly outage: OutageLog
}

/**
 * Finds running executions for which there are no jobs, as after a copy of the database, when a machine starts. Looks
 * twice: a machine that was taken for dead may just be about to rejoin.
 */
export class OrphanedExecutions {
  readonly #deps: OrphanedExecutionsDeps
  readonly #loop = new PollLoop(() => this.#look())
  #found: readonly number[] | undefined

  constructor(deps: OrphanedExecutionsDeps) {
    this.#deps = deps
  }

  start(): void {
    this.#loop.start()
  }

  async stop(): Promise<void> {
    await this.#loop.stop()
  }

  async #look(): Promise<number | undefined> {
    const { takeOver, timing, outage } = this.#deps
    try {
      const owners = await this.#deadOwners()
      const before = this.#found
      this.#found = owners
      if (!before) return owners.length > 0 ? timing.leaseMs : undefined
      await takeOver.adopt(owners.filter((owner) => before.includes(owner)))
      return undefined
    } catch (error) {
      outage.failed('looking for lost executions', error)
      return timing.leaseMs
    }
  }

  async #deadOwners(): Promise<readonly number[]> {
    const owners = await this.#deps.takeOver.owners()
    const alive = new Set(await this.#deps.aliveEpochs())
    return owners.filter((owner) => !alive.has(owner))
  }
}
