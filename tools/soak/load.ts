import { setTimeout as wait } from 'node:timers/promises'
import { messageOf } from '../../src/lib/errors.ts'
import { ROADS } from '../chaos/agents/agent-project.ts'
import { EXPECTED, POISON } from '../chaos/chaos-project.ts'
import { answer } from './scenarios/answers.ts'
import { visitConsole, watchAndLeave } from './scenarios/consoles.ts'
import { cancelSleeping, executeQuick, runToEnd, STARTS } from './scenarios/executions.ts'
import type { SoakClient } from './soak-client.ts'

const WORKFLOWS = Object.keys(EXPECTED).filter((workflow) => workflow !== POISON)

/** How long the work that is in progress may take after the end, in milliseconds. */
const DRAIN_MS = 60_000

/** A kind of work, of which one more begins at an interval. */
interface Lane {
  readonly name: string
  readonly everyMs: number
  /** How much of it is in progress at once; a server that is slower gets no more. */
  readonly maxOpen: number
  readonly work: (n: number) => Promise<unknown>
}

/** Work of all kinds at a steady pace: some fifteen executions a second, two answers, and a visit of the console every three. */
export class Load {
  readonly #lanes: readonly Lane[]
  readonly #ended = new AbortController()
  readonly #open = new Set<Promise<void>>()
  /** What did not go as expected, one line each. */
  readonly failures: string[] = []
  /** Executions and answers that have ended. */
  ended = 0
  /** The times of the measured executions since they were taken last, in milliseconds. */
  #times: number[] = []
  #isPaused = false

  constructor(client: SoakClient) {
    this.#lanes = [
      {
        name: 'execute',
        everyMs: 100,
        maxOpen: 4,
        work: async (n) => this.#note(await executeQuick(client, `quick-${n}`)),
      },
      {
        name: 'workflow',
        everyMs: 400,
        maxOpen: 16,
        work: (n) => {
          const workflow = oneOf(WORKFLOWS, n)
          return runToEnd(
            client,
            workflow,
            `${workflow}-${n}`,
            oneOf(STARTS, Math.floor(n / WORKFLOWS.length)),
          )
        },
      },
      { name: 'cancel', everyMs: 1000, maxOpen: 4, work: (n) => cancelSleeping(client, `cancelled-${n}`) },
      { name: 'watch', everyMs: 1000, maxOpen: 4, work: (n) => watchAndLeave(client, `watched-${n}`) },
      {
        name: 'answer',
        everyMs: 500,
        maxOpen: 8,
        work: (n) => {
          const delivery = oneOf(ROADS, n)
          return answer(client, delivery, `${delivery}-${n}`)
        },
      },
      { name: 'console', everyMs: 3000, maxOpen: 4, work: (n) => visitConsole(client, n) },
    ]
  }

  /** Begins work until `stop`. */
  async run(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => this.#keepBeginning(lane)))
  }

  /** Begins no more, and waits for what is in progress. */
  async stop(): Promise<void> {
    this.#ended.abort()
    const late = new AbortController()
    const all = Promise.all(this.#open).then(() => late.abort())
    await Promise.race([all, wait(DRAIN_MS, undefined, { signal: late.signal }).catch(() => undefined)])
    if (!late.signal.aborted)
      this.failures.push(`${this.#open.size} pieces of work did not end within ${DRAIN_MS / 1000} s`)
  }

  /** Measures no execution that is in progress while `work` runs: a sample collects garbage. */
  async paused<T>(work: () => Promise<T>): Promise<T> {
    this.#isPaused = true
    try {
      return await work()
    } finally {
      this.#isPaused = false
    }
  }

  /** The times of the measured executions since the last call, in milliseconds. */
  takeTimes(): readonly number[] {
    const times = this.#times
    this.#times = []
    return times
  }

  #note(time: number): void {
    if (!this.#isPaused) this.#times.push(time)
  }

  async #keepBeginning({ name, everyMs, maxOpen, work }: Lane): Promise<void> {
    const { signal } = this.#ended
    const open = new Set<Promise<void>>()
    const startedAt = performance.now()
    for (let n = 0; !signal.aborted; n++) {
      // as often as the clock says, however long a turn of this process took
      const until = startedAt + n * everyMs - performance.now()
      if (until > 0) await wait(until, undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return
      if (open.size >= maxOpen) continue
      const done = this.#attempt(`${name} ${n}`, () => work(n)).finally(() => {
        open.delete(done)
        this.#open.delete(done)
      })
      open.add(done)
      this.#open.add(done)
    }
  }

  async #attempt(what: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
      this.ended++
    } catch (error) {
      this.failures.push(`${what}: ${messageOf(error)}`)
    }
  }
}

function oneOf<T>(list: readonly T[], n: number): T {
  return list[n % list.length] as T
}
