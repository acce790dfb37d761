import { HeldCalls } from '../agent/tools/held-calls.ts'
import type { ClockCheck } from '../lib/clock-check.ts'
import { NO_TRACE } from '../lib/telemetry/trace-scope.ts'
import { EventHub } from '../lib/async/event-hub.ts'
import type { LiveItem } from '../lib/async/live-queue.ts'
import type { RetentionRule } from '../lib/async/prune-loop.ts'
import type { Environment } from '../agent/models/model-provider.ts'
import type { ModelRecorder } from '../agent/answer/model-recorder.ts'
import type { Budget } from '../agent/budgets/budget.ts'
import type { ModelPrices } from '../agent/prices/model-price.ts'
import type { UsageStore } from '../store/usage-store.ts'
import type { RunningWork } from '../store/store.ts'
import { Budgets } from './budgets/budgets.ts'
import { Summariser } from './conversations/summariser.ts'
import { WorkingMemories } from './conversations/working-memories.ts'
import { Erasure } from './erasure.ts'
import { AgentHistory } from './agents/agent-history.ts'
import { StoredConversations } from './conversations/stored-conversations.ts'
import { approversOfAnswered, checkStepResponses } from './agents/responses/step-responses.ts'
import { Agents } from './agents/agents.ts'
import { Executions } from './executions/executions.ts'
import type { ExecutionsOptions } from './executions/executions.ts'
import { preloadPackages } from './agents/preload-packages.ts'
import { Trials } from './run/trials.ts'
import { NO_METER } from './engine-meter.ts'
import { ExecutionFeed } from './executions/execution-feed.ts'
import type { StopOptions } from './executions/live-runs.ts'
import { Queries } from './executions/queries.ts'
import type { Schedules } from './schedules/schedules.ts'
import { keepRetention } from './retention.ts'

/** What is always given, and what has a default: no rules, no links, no traces, no server of its own. */
export interface EngineOptions
  extends
    Pick<
      ExecutionsOptions,
      | 'store'
      | 'clock'
      | 'newId'
      | 'logger'
      | 'errors'
      | 'eventsMs'
      | 'resultBytes'
      | 'maxItems'
      | 'maxCalls'
      | 'registry'
      | 'hold'
    >,
    Partial<
      Pick<
        ExecutionsOptions,
        'mayReceive' | 'mayStart' | 'linkTo' | 'random' | 'meter' | 'trace' | 'enter' | 'release' | 'onCall'
      >
    > {
  /** Whether the clock can be used to delete old records. */
  readonly clockCheck: ClockCheck
  /** The directory in which the packages of model providers are resolved. */
  readonly projectDir: string
  readonly retention: RetentionRule
  /** The same of runs of evals. */
  readonly evalRetention: RetentionRule
  /** How long a link to a suspension without a timeout is valid, in milliseconds. Default: 30 days. */
  readonly linkTtlMs?: () => number
  /** The maximum number of executions that wait for a slot. Default: 100,000. */
  readonly maxQueued?: number
  /** How long an agent's run waits for approvals and for tools of the client, in milliseconds. Default: 7 days. */
  readonly approvalsTimeoutMs?: number | undefined
  /** The variables that configure models and their keys. Default: the environment of the process. */
  readonly env?: Environment
  /** Records what models answer, or answers in their place. Default: models are called and nothing is recorded. */
  readonly modelRecorder?: ModelRecorder | undefined
  /** The prices of models in the current configuration. Default: none. */
  readonly prices?: () => ModelPrices
  /** The budgets of the current configuration. Default: none. */
  readonly projectBudgets?: () => readonly Budget[]
  /** Whether the current configuration has an auth provider: then who claims a user id is a stranger. Default: no. */
  readonly hasUsers?: () => boolean
  /** In production the demo model does not replace a missing one. Default false. */
  readonly production?: boolean
  /** Whether the schedules of the configuration start executions in this process. Default true. */
  readonly runsSchedules?: boolean
  /** How long suspend waits for a step boundary, in milliseconds. Default 30 s. */
  readonly suspendWaitMs?: number
  /** How long cancel waits for compensations, in milliseconds. Default 30 s. */
  readonly cancelWaitMs?: number
  /** The duration of the first trial of what was in flight at a crash, in milliseconds. Default: one second. */
  readonly trialMs?: number
}

/** Below the time-outs of common proxies; then the response is a 202. */
const SUSPEND_WAIT_MS = 30_000
const CANCEL_WAIT_MS = 30_000
const APPROVALS_TIMEOUT_MS = 7 * 24 * 3_600_000
const MAX_QUEUED = 100_000
const LINK_TTL_MS = 30 * 24 * 3_600_000

/** Runs executions and agents, and records both. */
export class Engine {
  readonly agents: Agents
  readonly history: AgentHistory
  readonly conversations: StoredConversations
  readonly memories: WorkingMemories
  readonly budgets: Budgets
  readonly #summariser: Summariser
  readonly executions: Executions
  readonly erasure: Erasure
  readonly queries: Queries
  readonly feed: ExecutionFeed
  readonly usage: UsageStore
  readonly #options: EngineOptions
  #stopRetention: (() => void) | undefined
  #unfollow: (() => void) | undefined

  constructor(options: EngineOptions) {
    const {
      store,
      suspendWaitMs = SUSPEND_WAIT_MS,
      cancelWaitMs = CANCEL_WAIT_MS,
      random = Math.random,
      release = () => '',
    } = options
    const {
      env = process.env,
      production = false,
      errors,
      enter = (work) => work(),
      trace = () => NO_TRACE,
      meter = NO_METER,
      prices = () => ({}),
      projectBudgets: project = () => [],
      hasUsers = () => false,
      mayReceive = async () => true,
      mayStart = async () => true,
      linkTo = () => undefined,
      linkTtlMs = () => LINK_TTL_MS,
    } = options
    const { approvalsTimeoutMs = APPROVALS_TIMEOUT_MS } = options
    const hub = new EventHub()
    const live = new EventHub<LiveItem>()
    const { projectDir, registry } = options
    const trials = new Trials({
      logger: options.logger,
      prepareAgents: () => preloadPackages(registry().usedAgents, { env, production, projectDir }),
      trialMs: options.trialMs,
    })
    this.#options = options
    this.memories = new WorkingMemories(options)
    this.budgets = new Budgets({ ...options, meter, project, production })
    this.agents = new Agents({
      ...options,
      approvalsTimeoutMs,
      hub,
      trace,
      env,
      production,
      redact: errors.redact,
      heldCalls: new HeldCalls(),
      meter,
      prices,
      budgets: this.budgets,
      trials,
      hasUsers,
      memories: this.memories,
      onExtended: (extended) => this.#summariser.onExtended(extended),
      executions: () => this.executions.answers,
    })
    this.#summariser = new Summariser({
      ...options,
      ask: (agent, prompt, { key, signal, runId: id, traceId }) =>
        this.agents.ask(agent, {
          prompt,
          signal,
          userId: key.userId ?? undefined,
          user: undefined,
          conversationId: key.conversationId,
          context: {},
          logger: options.logger,
          // a trace of its own: that of the answer has ended
          trace: trace(),
          execution: { id, traceId, kind: 'workflow' },
        }),
    })
    this.history = new AgentHistory(store, hub, () => this.executions.answers)
    this.conversations = new StoredConversations({ store, stop: (runId) => this.agents.cancel(runId) })
    this.executions = new Executions({
      maxQueued: MAX_QUEUED,
      ...options,
      random,
      hub,
      live,
      trace,
      meter,
      runsSchedules: options.runsSchedules ?? true,
      suspendWaitMs,
      cancelWaitMs,
      mayReceive,
      mayStart,
      linkTo,
      linkTtlMs,
      release,
      enter,
      endOrphaned: async () => {
        await this.agents.recover()
        await store.traces.endOrphaned()
      },
      continueAnswer: (id, from) => this.agents.continueOrphaned(id, from),
      expireAnswer: (id) => this.agents.expire(id),
      ask: (agent, question) => this.agents.ask(agent, question),
      endAnswer: (id) => this.agents.endPart(id),
      approversOfAnswered: (runId, user) =>
        approversOfAnswered({ runId, user, agentOf: (id) => registry().usedAgent(id), store }),
      checkResponses: (agent, runId, responses) => checkStepResponses(agent, runId, { responses, store }),
      trials,
    })
    this.erasure = new Erasure({
      store,
      executions: this.executions,
      stopAnswer: (id) => this.agents.cancel(id),
    })
    this.queries = new Queries(store, { hub, live, registry: options.registry, trials })
    this.usage = store.usage
    this.feed = new ExecutionFeed(store, hub, live)
  }

  /** Follows what other machines change, until it stops. `start` does that, too. */
  follow(): void {
    if (this.#unfollow) return
    const ends = [this.executions.followRemoteChanges(), this.agents.followRemoteChanges()]
    this.#unfollow = () => {
      for (const end of ends) end()
    }
  }

  /**
   * Starts to recover the runs of an earlier process, and to delete records that retention no longer covers. Resolves when
   * a job is stored for each run; the jobs are done beside requests.
   */
  async start(): Promise<void> {
    const { retention: rule, evalRetention, ...rest } = this.#options
    this.follow()
    // first it is counted what was in flight
    await this.executions.start()
    await this.agents.recover()
    this.#stopRetention ??= keepRetention({ ...rest, rule, evalRetention })
  }

  /** Resolves when what was due at the start has been handled. */
  recovered(): Promise<void> {
    return this.executions.recovered()
  }

  /** The configuration has changed: recovers executions whose workflow exists again. */
  recover(): Promise<void> {
    return this.executions.recover()
  }

  get schedules(): Schedules {
    return this.executions.schedules
  }

  /** The number of running executions, by workflow. */
  get running(): ReadonlyMap<string, number> {
    return this.executions.running
  }

  /** The workflows and agents that are running, on whatever machine. */
  runningWork(): RunningWork | Promise<RunningWork> {
    const { store } = this.#options
    if (store.running) return store.running()
    return { workflows: new Set(this.running.keys()), agents: this.agents.running }
  }

  /** Stops runs at their next step boundary, or after `graceMs` wherever they are. Does not close the store. */
  async stop(options: StopOptions): Promise<void> {
    this.#stopRetention?.()
    const agentGraceMs = options.abortSignals === true ? 0 : options.graceMs
    await Promise.all([this.executions.stop(options), this.agents.stop(agentGraceMs)])
    await this.#summariser.stop()
    await this.agents.idle()
    this.#unfollow?.()
    // other machines continue what was stopped
    await this.#options.store.dispatcher.stop(options.crashed ? 'crashed' : 'stopped')
  }
}
