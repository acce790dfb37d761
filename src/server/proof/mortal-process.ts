import { pino } from 'pino'
import type { ServerConfig } from '../../config/config.ts'
import { Engine } from '../../engine/engine.ts'
import type { Registry } from '../../engine/registry.ts'
import type { OnCall } from '../../engine/run/run.ts'
import { serverCalls } from '../../engine/server-calls.ts'
import type { Clock, ClockTimers } from '../../lib/clock.ts'
import { ClockCheck } from '../../lib/clock-check.ts'
import { parseDuration } from '../../lib/duration.ts'
import type { NewId } from '../../lib/ids.ts'
import type { ModelRecorder } from '../../agent/answer/model-recorder.ts'
import type { Applied, ExecutionWrite } from '../../store/execution-store.ts'
import type { MemoryDatabase } from '../../store/sqlite/memory-database.ts'
import type { Store } from '../../store/store.ts'
import { ServerScope } from '../../calls/current-server.ts'
import { enterLife, Life, PlaceTrace } from './code-place.ts'
import type { Seed } from './seed.ts'

/** What happens to changes of executions. */
export interface WriteObserver {
  /** Whether the process is killed before or after these changes are stored. */
  killAt(writes: readonly ExecutionWrite[]): 'before' | 'after' | undefined
  onStored(writes: readonly ExecutionWrite[], applied: readonly Applied[]): void
}

export interface ProcessDeps {
  readonly database: MemoryDatabase
  readonly config: ServerConfig
  readonly registry: Registry
  readonly root: string
  readonly clock: Clock & { readonly timers: ClockTimers }
  readonly seed: Seed
  readonly newId: NewId
  readonly models: ModelRecorder
  readonly observer: WriteObserver
  readonly onCall: OnCall
  /** Called before any of its code runs. */
  readonly onLife: (life: Life) => void
}

const NEVER = { days: Number.MAX_SAFE_INTEGER, count: Number.MAX_SAFE_INTEGER }

/** An engine on the database of a run that can be killed: nothing of it is stored from then on, and no timer of it fires. */
export class MortalProcess {
  readonly engine: Engine
  /** What it has stored. Its calls don't return any more when it is killed. */
  readonly store: Store
  readonly life = new Life()
  readonly #stored: Store
  readonly #timers: LifeTimers
  readonly #database: MemoryDatabase
  readonly #scope: ServerScope

  private constructor(deps: ProcessDeps) {
    const { database, config, registry, seed, observer } = deps
    const { life } = this
    deps.onLife(life)
    this.#timers = new LifeTimers(deps.clock.timers, life)
    const clock: Clock = { now: () => deps.clock.now(), timers: this.#timers }
    this.#database = database
    this.#stored = database.open(clock)
    this.store = this.#mortalStore(observer)
    const logger = pino({ enabled: false })
    this.#scope = new ServerScope(
      serverCalls({
        engine: () => this.engine,
        traceOf: () => undefined,
        trace: () => PlaceTrace.of(life, seed),
        logger,
      }),
    )
    this.engine = new Engine({
      store: this.store,
      clock,
      clockCheck: new ClockCheck({ clock, logger, newestRecordAt: () => undefined }),
      newId: deps.newId,
      logger,
      errors: { shorten: (text) => text, stacks: false, redact: (text) => text, locate: () => undefined },
      projectDir: deps.root,
      retention: NEVER,
      evalRetention: NEVER,
      eventsMs: parseDuration(config.retention.events) ?? 0,
      resultBytes: config.limits.resultBytes,
      maxItems: config.limits.items,
      maxCalls: config.limits.calls,
      maxQueued: config.limits.queued,
      approvalsTimeoutMs: parseDuration(config.approvals.timeout),
      linkTo: ({ executionId, path }) => `http://localhost/links/${executionId}/${path}`,
      registry: () => registry,
      hold: () => ({ registry, release: () => undefined }),
      random: () => seed.random(),
      trace: () => PlaceTrace.of(life, seed),
      enter: (work) => this.enter(work),
      modelRecorder: deps.models,
      runsSchedules: false,
      onCall: deps.onCall,
    })
  }

  /** Starts the process that comes next on a database. It recovers what the one before has left. */
  static async start(deps: ProcessDeps): Promise<MortalProcess> {
    const process = new MortalProcess(deps)
    const { engine, life } = process
    // without the deletion of old records
    const started = process.enter(async () => {
      await engine.executions.start()
      await engine.agents.recover()
    })
    await Promise.race([started, life.ended])
    return process
  }

  /** Runs code in it. */
  enter<T>(work: () => T): T {
    return enterLife(this.life, () => this.#scope.enter(work))
  }

  async kill(): Promise<void> {
    if (this.life.isOver) return
    this.life.end()
    this.#timers.stop()
    this.#database.settleLives()
    await this.#stored.close()
  }

  #mortalStore(observer: WriteObserver): Store {
    const { life } = this
    const { executions } = this.#stored
    const write = async (writes: readonly ExecutionWrite[]) => {
      const killed = observer.killAt(writes)
      if (killed === 'before') {
        void this.kill()
        return never<readonly Applied[]>()
      }
      const applied = await executions.write(writes)
      observer.onStored(writes, applied)
      if (killed !== 'after') return applied
      void this.kill()
      return never<readonly Applied[]>()
    }
    return mortal({ ...this.#stored, executions: { ...executions, write } }, life)
  }
}

function never<T>(): Promise<T> {
  return new Promise<T>(() => undefined)
}

/** The same object, whose functions, and those of its parts, don't return any more at the end of a life. */
function mortal<T extends object>(target: T, life: Life): T {
  const parts = new Map<unknown, object>()
  return new Proxy(target, {
    get: (of, name) => {
      const value = Reflect.get(of, name) as unknown
      if (typeof value === 'function')
        return (...args: unknown[]) => {
          if (life.isOver) return never()
          const result = value.apply(of, args) as unknown
          return result instanceof Promise ? unlessOver(result, life) : result
        }
      if (typeof value !== 'object' || value === null || value instanceof Promise) return value
      const part = parts.get(value) ?? mortal(value, life)
      parts.set(value, part)
      return part
    },
  })
}

async function unlessOver<T>(result: Promise<T>, life: Life): Promise<T> {
  const value = await result
  return life.isOver ? never() : value
}

/** The timers of one process. */
class LifeTimers implements ClockTimers {
  readonly #timers: ClockTimers
  readonly #life: Life
  readonly #open = new Set<() => void>()

  constructor(timers: ClockTimers, life: Life) {
    this.#timers = timers
    this.#life = life
  }

  start(...[ms, callback, options]: Parameters<ClockTimers['start']>): () => void {
    return this.#opened((close) =>
      this.#timers.start(
        ms,
        () => {
          close()
          enterLife(this.#life, callback)
        },
        options,
      ),
    )
  }

  busy(): () => void {
    return this.#opened(() => this.#timers.busy())
  }

  #opened(open: (close: () => void) => () => void): () => void {
    if (this.#life.isOver) return () => undefined
    const end = open(() => this.#open.delete(stop))
    const stop = () => {
      this.#open.delete(stop)
      end()
    }
    this.#open.add(stop)
    return stop
  }

  /** Stops all of them. */
  stop(): void {
    for (const stop of this.#open) stop()
    this.#open.clear()
  }
}
