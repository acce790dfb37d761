import { messageOf } from '../../src/lib/errors.ts'
import type { Round } from './plan.ts'
import type { Server } from './server.ts'

/** The machines of a plan, each a process that is started again after its end. */
export class Machines {
  readonly #count: number
  readonly #start: (machine: number, round: Round | undefined) => Server
  readonly #servers: Server[] = []
  readonly #hung = new Set<number>()
  /** Machines that have ended by themselves, one line each. */
  readonly ended: string[] = []
  #isOver = false

  constructor(count: number, start: (machine: number, round: Round | undefined) => Server) {
    this.#count = count
    this.#start = start
  }

  /** Starts those that do not run, and returns that to which the faults of the round happen. */
  start(round: Round): Server {
    for (let number = 0; number < this.#count; number++)
      if (!this.#lives(number)) this.#servers[number] = this.#start(number, round)
    return this.get(round.machine ?? 0)
  }

  get(machine: number): Server {
    const server = this.#servers[machine]
    if (!server) throw new Error(`there is no machine ${machine}`)
    return {
      ...server,
      pause: async (forMs) => {
        this.#hung.add(machine)
        await server.pause(forMs).finally(() => this.#hung.delete(machine))
      },
    }
  }

  /** The numbers of those that run and answer. */
  get answering(): number[] {
    return this.#servers.flatMap((server, machine) =>
      server.isAlive() && !this.#hung.has(machine) ? machine : [],
    )
  }

  /** Starts those that do not run for the last time, and again when a poison has ended one. `onEnd`: then. */
  startLast(onEnd: (machine: number, at: number) => void): void {
    for (let number = 0; number < this.#count; number++)
      if (!this.#lives(number)) this.#restart(number, onEnd)
  }

  async kill(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#servers.map((server) => server.kill().catch(() => undefined)))
  }

  #restart(machine: number, onEnd: (machine: number, at: number) => void): void {
    const server = (this.#servers[machine] = this.#start(machine, undefined))
    server.onPoisoned((at) => {
      if (this.#isOver) return
      onEnd(machine, at)
      this.#restart(machine, onEnd)
    })
  }

  #lives(machine: number): boolean {
    const server = this.#servers[machine]
    if (!server) return false
    if (server.isAlive()) return true
    try {
      server.mustHaveBeenEnded()
    } catch (error) {
      this.ended.push(`machine ${machine}: ${messageOf(error)}`)
    }
    return false
  }
}
