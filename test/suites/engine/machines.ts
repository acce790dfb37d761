import { ANY_EXECUTION } from '../../../src/store/remote-changes.ts'
import { InFlightCount, judgeCrash, stepsInFlight } from '../../../src/store/crash.ts'
import type { Crash } from '../../../src/store/crash.ts'
import type { Dispatcher, JobServer } from '../../../src/store/dispatcher.ts'
import type { ExecutionWrite } from '../../../src/store/execution-store.ts'
import type { RemoteChanges } from '../../../src/store/remote-changes.ts'
import type { Store } from '../../../src/store/store.ts'
import type { EngineBackend, EngineProcess } from './engine-process.ts'

export interface MachineBackend {
  /** Opens a database. */
  open(database: string): Promise<Store>
  /** Whether each machine opens the database. Otherwise all use one store, as one process owns the database. */
  readonly many: boolean
}

const EPOCHS = [7_001, 12, 940_022, 3_003, 88, 51_000, 4, 610]
const POLL_MS = 5

interface Machine {
  readonly ownerEpoch: number
  readonly store: Store
  alive: boolean
  unresponsive: boolean
  server: JobServer | undefined
  readonly followers: Set<Parameters<RemoteChanges['follow']>[0]>
}

/** A database that several engines of this process use, each as a machine of its own. Jobs and changes cost no time. */
export class Machines implements EngineBackend {
  readonly #backend: MachineBackend
  readonly #machines: Machine[] = []
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #crashes = new Map<number, Crash>()
  #turn = 0

  constructor(backend: MachineBackend) {
    this.#backend = backend
  }

  async connect(database: string): Promise<Store> {
    const { many } = this.#backend
    const shared = many ? undefined : this.#machines[0]?.store
    const store = shared ?? (await this.#backend.open(database))
    const ownerEpoch = many ? store.ownerEpoch : (EPOCHS[this.#machines.length] ?? 0)
    const machine: Machine = {
      ownerEpoch,
      store,
      alive: true,
      unresponsive: false,
      server: undefined,
      followers: new Set(),
    }
    this.#machines.push(machine)
    return overriding(store, {
      ownerEpoch,
      dispatcher: this.#dispatcher(machine),
      changes: this.#changes(machine),
      executions: overriding(store.executions, {
        write: async (writes: readonly ExecutionWrite[]) => {
          const applied = await store.executions.write(writes)
          const stored = writes.filter((_, index) => applied[index])
          const ids = stored.flatMap(({ id, together = [] }) => [id, ...together.map((write) => write.id)])
          this.#announce(machine, [...ids, ANY_EXECUTION])
          return applied
        },
      }),
      // one process owns the database: its runs have the epoch of the process
      agentRuns: overriding(store.agentRuns, {
        insert: (row: Parameters<Store['agentRuns']['insert']>[0]) =>
          store.agentRuns.insert({ ...row, ownerEpoch: store.ownerEpoch }),
        finish: async (...end: Parameters<Store['agentRuns']['finish']>) => {
          const ended = await store.agentRuns.finish(...end)
          if (ended) this.#announce(machine, [end[0]])
          return ended
        },
        abort: async (id: string, endedAt: number) => {
          const ended = await store.agentRuns.abort(id, endedAt)
          if (ended) this.#announce(machine, [id])
          return ended
        },
      }),
      close: async () => {
        machine.alive = false
        const isLast = this.#machines.every(({ alive }) => !alive)
        if (isLast) for (const timer of this.#timers) clearInterval(timer)
        if (many || isLast) await store.close()
      },
    })
  }

  /** The process ends without writing anything more; the others take over what it ran. */
  async kill(process: EngineProcess): Promise<void> {
    const machine = this.#of(process)
    machine.followers.clear()
    await process.crash()
    const survivor = this.#machines.find(({ alive, server }) => alive && server)
    survivor?.server?.onDeath(machine.ownerEpoch)
    await this.takeOver(process)
  }

  /** The others continue what a machine runs, which they take for dead. */
  async takeOver(process: EngineProcess): Promise<void> {
    const { ownerEpoch } = this.#of(process)
    const { store } = this.#machines.find(({ alive }) => alive) ?? this.#of(process)
    const running = await store.executions.list({ status: 'running' }, { limit: 1000, offset: 0 })
    const orphans = running.filter((row) => row.ownerEpoch === ownerEpoch).toReversed()
    const count = new InFlightCount()
    for (const { id } of orphans) count.add(stepsInFlight(await store.executions.steps(id)))
    this.#crashes.set(ownerEpoch, judgeCrash({ how: 'unknown', settled: false }, count.inFlight))
    await Promise.all(orphans.map(({ id }) => this.continue(id, ownerEpoch)))
  }

  /** Another machine than `from` continues an execution of it. */
  async continue(id: string, from: number): Promise<void> {
    const first = this.#turn++
    for (let attempt = 1; attempt <= 20; attempt++) {
      const servers = this.#machines.flatMap(({ alive, ownerEpoch, server }) =>
        alive && ownerEpoch !== from && server ? [server] : [],
      )
      const server = servers[(first + attempt) % servers.length]
      if (!server) return
      if ((await server.run({ kind: 'continue', id, from }, attempt).catch(() => 'later')) === 'done') return
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  }

  /** The machine gets no word of changes any more; it may look at what it watches at intervals. */
  deafen(process: EngineProcess, { looks }: { readonly looks: boolean }): void {
    const machine = this.#of(process)
    machine.unresponsive = true
    if (!looks) return
    this.#timers.add(
      setInterval(() => {
        for (const { watched, onChange } of machine.followers)
          for (const topic of new Set(watched())) onChange(topic)
      }, POLL_MS),
    )
  }

  #of(process: EngineProcess): Machine {
    const found = this.#machines.find(({ ownerEpoch }) => ownerEpoch === process.store.ownerEpoch)
    if (!found) throw new Error('Not a machine of this database')
    return found
  }

  #announce(by: Machine, topics: readonly string[]): void {
    setImmediate(() => {
      for (const { followers } of this.#machines.filter(
        (other) => other !== by && other.alive && !other.unresponsive,
      ))
        for (const { onChange } of followers) for (const topic of topics) onChange(topic)
    })
  }

  #changes(machine: Machine): RemoteChanges {
    return {
      follow: (follower) => {
        machine.followers.add(follower)
        return () => machine.followers.delete(follower)
      },
      announce: (ids) => this.#announce(machine, ids),
    }
  }

  #dispatcher(machine: Machine): Dispatcher {
    const alive = () => this.#machines.filter((one) => one.alive)
    return {
      serve: async (server) => {
        machine.server = server
      },
      takingOver: undefined,
      crashOf: async (ownerEpoch) => this.#crashes.get(ownerEpoch) ?? 'none',
      settled: () => Promise.resolve(),
      change: () => Promise.resolve(),
      retry: () => Promise.resolve(),
      isAlive: async (ownerEpoch) => alive().some((one) => one.ownerEpoch === ownerEpoch),
      machines: async () =>
        alive().flatMap(({ ownerEpoch, server }) =>
          server ? [{ ...server.status(), ownerEpoch, id: `m${ownerEpoch}`, lastBeatAt: 0 }] : [],
        ),
      stop: async () => {
        machine.server = undefined
      },
    }
  }
}

/** An object with some members replaced. The others keep their own `this`. */
function overriding<T extends object>(target: T, members: Partial<Record<keyof T, unknown>>): T {
  return new Proxy(target, {
    get: (_, key) => {
      if (key in members) return members[key as keyof T]
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}
