import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import { NO_TRACE } from '../lib/telemetry/trace-scope.ts'
import type { TraceScope } from '../lib/telemetry/trace-scope.ts'
import { EventHub } from '../lib/async/event-hub.ts'
import type { NewId } from '../lib/ids.ts'
import type { KeepRule } from '../lib/async/prune-loop.ts'
import type { Environment } from '../agent/models/model-provider.ts'
import type { ActivityStore } from '../store/activity-store.ts'
import type { Store } from '../store/store.ts'
import { AgentHistory } from './agents/agent-history.ts'
import { AgentRunner } from './agents/agents.ts'
import { Control } from './executions/control.ts'
import type { ErrorRecording } from './run/errors.ts'
import { NO_METER } from './engine-meter.ts'
import type { EngineMeter } from './engine-meter.ts'
import { ExecutionFeed } from './executions/execution-feed.ts'
import { EmbeddedHost } from './executions/embedded-host.ts'
import type { GenerationHold } from './executions/host-options.ts'
import { Queries } from './executions/queries.ts'
import type { Registry } from './registry.ts'
import { keepRetention } from './executions/retention.ts'

export interface EngineOptions {
  readonly store: Store
  readonly clock: Clock
  readonly newId: NewId
  readonly logger: Logger
  readonly errors: ErrorRecording
  /** Where the packages of model providers are looked for. */
  readonly projectDir: string
  readonly retention: KeepRule
  readonly resultBytes: number
  /** The workflows as they are now. */
  readonly registry: () => Registry
  /** The same, held for as long as a run needs them. */
  readonly hold: () => GenerationHold
  readonly random?: () => number
  /** Default: nothing is counted. */
  readonly meter?: EngineMeter
  /** Where traces begin. Default: nothing is recorded. */
  readonly trace?: () => TraceScope
  /** Where models and their keys are named. Default: the process's environment. */
  readonly env?: Environment
  /** Whether the demo model may not stand in for one that is missing. Default false. */
  readonly production?: boolean
  /** How long suspend waits for a step boundary, in milliseconds. Default 30 s. */
  readonly suspendWaitMs?: number
}

const SUSPEND_WAIT_MS = 30_000

/** Runs and remembers executions and what agents were asked. */
export class Engine {
  readonly agents: AgentRunner
  readonly history: AgentHistory
  readonly control: Control
  readonly queries: Queries
  readonly feed: ExecutionFeed
  readonly activity: ActivityStore
  readonly #host: EmbeddedHost
  readonly #options: EngineOptions
  #stopRetention: (() => void) | undefined

  constructor(options: EngineOptions) {
    const { store, clock, registry, logger, suspendWaitMs = SUSPEND_WAIT_MS, random = Math.random } = options
    const {
      env = process.env,
      production = false,
      errors,
      trace = () => NO_TRACE,
      meter = NO_METER,
    } = options
    const hub = new EventHub()
    this.#options = options
    this.agents = new AgentRunner({
      ...options,
      trace,
      env,
      production,
      redact: errors.redact,
      meter,
    })
    this.history = new AgentHistory(store)
    this.#host = new EmbeddedHost({
      ...options,
      random,
      hub,
      trace,
      meter,
      ask: (agent, question) => this.agents.ask(agent, question),
    })
    this.queries = new Queries(store, hub)
    this.activity = store.activity
    this.feed = new ExecutionFeed(store.executions, hub)
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
    await this.agents.recover()
    await this.#host.recover()
    this.#stopRetention ??= keepRetention({ ...rest, rule })
  }

  /** Takes up executions whose workflow came back with a new configuration. */
  recover(): Promise<void> {
    return this.#host.recover()
  }

  /** How many executions run, by workflow. */
  get running(): ReadonlyMap<string, number> {
    return this.#host.running
  }

  isRunning(workflowId: string): boolean {
    return this.#host.isRunning(workflowId)
  }

  /** Stops runs at their next step boundary, or where they are after `graceMs`. Does not close the store. */
  async stop(graceMs: number): Promise<void> {
    this.#stopRetention?.()
    await Promise.all([this.#host.stop(graceMs), this.agents.stop(graceMs)])
    await this.agents.idle()
  }
}
