import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import { EventHub } from '../lib/event-hub.ts'
import type { NewId } from '../lib/ids.ts'
import type { Store } from '../store/store.ts'
import { Control } from './control.ts'
import type { ErrorRecording } from './failure.ts'
import { EmbeddedHost } from './hosts/embedded/embedded-host.ts'
import type { Lease } from './hosts/embedded/embedded-host.ts'
import { Queries } from './queries.ts'
import type { Registry } from './registry.ts'
import { keepRetention } from './retention.ts'
import type { RetentionRule } from './retention.ts'

export interface EngineOptions {
  readonly store: Store
  readonly clock: Clock
  readonly newId: NewId
  readonly logger: Logger
  readonly errors: ErrorRecording
  readonly retention: RetentionRule
  readonly resultBytes: number
  /** The workflows as they are now. */
  readonly registry: () => Registry
  /** The same, held for as long as a run needs them. */
  readonly lease: () => Lease
  readonly random?: () => number
  /** How long suspend waits for a step boundary, in milliseconds. Default 30 s. */
  readonly suspendWaitMs?: number
}

const SUSPEND_WAIT_MS = 30_000

/** Runs and remembers executions. */
export class Engine {
  readonly control: Control
  readonly queries: Queries
  readonly #host: EmbeddedHost
  readonly #options: EngineOptions
  #stopRetention: (() => void) | undefined

  constructor(options: EngineOptions) {
    const { store, clock, registry, logger, suspendWaitMs = SUSPEND_WAIT_MS, random = Math.random } = options
    const hub = new EventHub()
    this.#options = options
    this.#host = new EmbeddedHost({ ...options, random, hub })
    this.queries = new Queries(store, hub)
    this.control = new Control({
      store,
      clock,
      registry,
      host: this.#host,
      warn: (text) => logger.warn(text),
      suspendWaitMs,
    })
  }

  /** Takes up what an earlier process left running, and begins to delete what retention no longer covers. */
  async start(): Promise<void> {
    const { retention: rule, ...rest } = this.#options
    await this.#host.recover()
    this.#stopRetention ??= keepRetention({ ...rest, rule })
  }

  /** Takes up executions whose workflow came back with a new configuration. */
  recover(): Promise<void> {
    return this.#host.recover()
  }

  isRunning(workflowId: string): boolean {
    return this.#host.isRunning(workflowId)
  }

  /** Stops runs at their next step boundary, or where they are after `graceMs`. Does not close the store. */
  async stop(graceMs: number): Promise<void> {
    this.#stopRetention?.()
    await this.#host.stop(graceMs)
  }
}
