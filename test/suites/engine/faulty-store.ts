import { createDeferred, type Deferred } from '../../../src/lib/async/wake-up.ts'
import { AppError } from '../../../src/lib/errors.ts'
import type { AgentRunStore } from '../../../src/store/agent-store.ts'
import type { ConversationStore } from '../../../src/store/agents/conversation-store.ts'
import type { JobChange, JobServer } from '../../../src/store/dispatcher.ts'
import type { LogStore } from '../../../src/store/log-store.ts'
import type { TraceStore } from '../../../src/store/trace-store.ts'
import type { ExecutionStore, ExecutionWrite } from '../../../src/store/execution-store.ts'
import type { Store } from '../../../src/store/store.ts'

/** A commit at which a process is killed. */
export interface Kill {
  /** Counts from 1. */
  readonly commit: number
  /** Whether the transaction is in the database. */
  readonly when: 'before' | 'after'
}

/** A store whose writes can fail or wait, and which never answers a process that has died. */
export class FaultyStore implements Store {
  readonly executions: ExecutionStore
  readonly agentRuns: AgentRunStore
  readonly conversations: ConversationStore
  readonly workingMemory: Store['workingMemory']
  readonly logs: LogStore
  readonly usage: Store['usage']
  readonly failures: Store['failures']
  readonly budgets: Store['budgets']
  readonly traces: TraceStore
  readonly events: Store['events']
  readonly evals: Store['evals']
  readonly dispatcher: Store['dispatcher']
  readonly schedules: Store['schedules']
  readonly changes: Store['changes']
  readonly running?: NonNullable<Store['running']>
  readonly queue: Store['queue']
  readonly search: Store['search']
  readonly erasure: Store['erasure']
  readonly giveSpaceBack: Store['giveSpaceBack']
  readonly #store: Store
  #refuses: (writes: readonly ExecutionWrite[]) => boolean = () => false
  #gate: Deferred<void> | undefined
  #away: AppError | undefined
  dead = false
  /** The number of writes that failed. */
  failedWrites = 0
  /** The part of the engine that does the jobs. */
  server: JobServer | undefined
  /** The jobs that executions stored and dropped. */
  readonly jobs: JobChange[] = []
  /** The number of writes that waited. */
  held = 0
  /** The number of transactions that executions, agent runs and events have begun. */
  commits = 0
  /** The steps that are stored as completed, as `<execution>:<path>`. */
  readonly completed = new Set<string>()
  /** Resolves when the process has died. */
  readonly died = createDeferred<void>()
  #killed: Kill | undefined

  constructor(store: Store) {
    const { executions, agentRuns, conversations, logs } = store
    this.#store = store
    this.logs = logs
    this.traces = store.traces
    this.workingMemory = store.workingMemory
    this.usage = store.usage
    this.failures = store.failures
    this.budgets = store.budgets
    this.evals = store.evals
    this.search = store.search
    this.erasure = store.erasure
    this.giveSpaceBack = () => store.giveSpaceBack()
    this.schedules = {
      get: (id) => this.#alive(() => store.schedules.get(id)),
      list: () => this.#alive(() => store.schedules.list()),
      save: (row, jobs) => this.#alive(() => store.schedules.save(row, jobs)),
      delete: (id, jobs) => this.#alive(() => store.schedules.delete(id, jobs)),
    }
    const { dispatcher } = store
    this.dispatcher = {
      serve: (server) => {
        this.server = server
        return dispatcher.serve(server)
      },
      get takingOver() {
        return dispatcher.takingOver
      },
      settled: () => dispatcher.settled(),
      change: (jobs) => dispatcher.change(jobs),
      retry: () => dispatcher.retry(),
      isAlive: (ownerEpoch) => dispatcher.isAlive(ownerEpoch),
      machines: () => dispatcher.machines(),
      crashOf: (ownerEpoch) => dispatcher.crashOf(ownerEpoch),
      stop: (how) => dispatcher.stop(how),
    }
    this.changes = store.changes
    if (store.running) this.running = store.running
    this.queue = store.queue
    const { events } = store
    this.events = {
      insert: (event, job) => this.#commit(() => events.insert(event, job)),
      get: (id) => this.#alive(() => events.get(id)),
      waiting: (topic) => this.#alive(() => events.waiting(topic)),
      list: (topic, range) => this.#alive(() => events.list(topic, range)),
      newest: (limit, takers) => this.#alive(() => events.newest(limit, takers)),
      prune: (rule, limit) => this.#alive(() => events.prune(rule, limit)),
    }
    this.executions = {
      write: async (writes) => {
        if (this.#gate) {
          this.held++
          await this.#gate.promise
        }
        if (this.#refuses(writes)) {
          this.failedWrites++
          throw new Error('database or disk is full')
        }
        this.jobs.push(...writes.flatMap(({ jobs }) => jobs ?? []))
        return this.#commit(async () => {
          const applied = await executions.write(writes)
          for (const { id, steps = [] } of writes)
            for (const { path, status } of steps)
              if (status === 'completed') this.completed.add(`${id}:${path}`)
          return applied
        })
      },
      get: (id) => this.#alive(() => executions.get(id)),
      list: (filter, page) => this.#alive(() => executions.list(filter, page)),
      histories: (filter, page) => this.#alive(() => executions.histories(filter, page)),
      heads: (filter, page) => this.#alive(() => executions.heads(filter, page)),
      count: (filter) => this.#alive(() => executions.count(filter)),
      steps: (id) => this.#alive(() => executions.steps(id)),
      events: (id, range) => this.#alive(() => executions.events(id, range)),
      workflowEvents: (id) => this.#alive(() => executions.workflowEvents(id)),
      lastSequence: (id) => this.#alive(() => executions.lastSequence(id)),
      ownership: (id) => this.#alive(() => executions.ownership(id)),
      history: (id) => this.#alive(() => executions.history(id)),
      milestones: (range) => this.#alive(() => executions.milestones(range)),
      newestMilestone: () => this.#alive(() => executions.newestMilestone()),
      openChildren: (id) => this.#alive(() => executions.openChildren(id)),
      prune: (retention, limit) => this.#alive(() => executions.prune(retention, limit)),
    }
    this.agentRuns = {
      insert: (row, continuation, runningMessages) =>
        this.#commit(() => agentRuns.insert(row, continuation, runningMessages)),
      finish: (id, end, runningMessages) => this.#commit(() => agentRuns.finish(id, end, runningMessages)),
      abort: (id, endedAt) => this.#commit(() => agentRuns.abort(id, endedAt)),
      list: (filter, page) => this.#alive(() => agentRuns.list(filter, page)),
      count: (filter) => this.#alive(() => agentRuns.count(filter)),
      usageOf: (executionIds) => this.#alive(() => agentRuns.usageOf(executionIds)),
      endOrphaned: (end) => this.#alive(() => agentRuns.endOrphaned(end)),
      prune: (retention, limit) => this.#alive(() => agentRuns.prune(retention, limit)),
      continuation: (id) => this.#alive(() => agentRuns.continuation(id)),
      claim: (id, from) => this.#commit(() => agentRuns.claim(id, from)),
      appendParts: (parts) => this.#alive(() => agentRuns.appendParts(parts)),
      parts: (id, range) => this.#alive(() => agentRuns.parts(id, range)),
      pruneParts: (endedBefore, limit) => this.#alive(() => agentRuns.pruneParts(endedBefore, limit)),
      suspend: (id, suspension, jobs) => this.#commit(() => agentRuns.suspend(id, suspension, jobs)),
      decide: (id, decisions, options) => this.#commit(() => agentRuns.decide(id, decisions, options)),
      expire: (id, end) => this.#commit(() => agentRuns.expire(id, end)),
      approvals: (filter, page) => this.#alive(() => agentRuns.approvals(filter, page)),
      countApprovals: (filter) => this.#alive(() => agentRuns.countApprovals(filter)),
    }
    this.conversations = {
      owner: (key) => this.#alive(() => conversations.owner(key)),
      get: (key) => this.#alive(() => conversations.get(key)),
      create: (key, created) => this.#commit(() => conversations.create(key, created)),
      list: (filter, page) => this.#alive(() => conversations.list(filter, page)),
      count: (filter) => this.#alive(() => conversations.count(filter)),
      messages: (key, limit) => this.#alive(() => conversations.messages(key, limit)),
      page: (key, range) => this.#alive(() => conversations.page(key, range)),
      range: (key, range) => this.#alive(() => conversations.range(key, range)),
      open: (key) => this.#alive(() => conversations.open(key)),
      summary: (key) => this.#alive(() => conversations.summary(key)),
      claimSummary: (key, claim) => this.#alive(() => conversations.claimSummary(key, claim)),
      summarise: (key, change) => this.#alive(() => conversations.summarise(key, change)),
      rename: (key, title) => this.#alive(() => conversations.rename(key, title)),
      delete: (key) => this.#alive(() => conversations.delete(key)),
      prune: (retention, limit) => this.#alive(() => conversations.prune(retention, limit)),
    }
  }

  get health(): Store['health'] {
    const { health } = this.#store
    return this.#away ? { problem: this.#away, waits: true, opened: health.opened } : health
  }

  get newestRecordAt(): number | undefined {
    return this.#store.newestRecordAt
  }

  get ownerEpoch(): number {
    return this.#store.ownerEpoch
  }

  /** Makes writes fail: all, or those that fit a condition. */
  refuse(which: (writes: readonly ExecutionWrite[]) => boolean = () => true): void {
    this.#refuses = which
  }

  /** Kills the process at a commit: it does nothing more then, and its database is as it is. */
  killAt(kill: Kill): void {
    this.#killed = kill
  }

  recover(): void {
    this.#refuses = () => false
  }

  /** Makes writes wait until the returned function is called. */
  hold(): () => void {
    const gate = createDeferred<void>()
    this.#gate = gate
    return () => {
      this.#gate = undefined
      gate.resolve()
    }
  }

  /** Makes reads fail and writes wait, as while a database server is away, until the returned function is called. */
  leave(): () => void {
    this.#away = new AppError('unavailable', 'The database is away')
    const release = this.hold()
    return () => {
      this.#away = undefined
      release()
    }
  }

  /** Closes the store; no call returns any more. */
  async die(): Promise<void> {
    if (this.dead) return
    this.dead = true
    await this.#store.close()
    this.died.resolve()
  }

  close(): Promise<void> {
    return this.die()
  }

  async #commit<T>(write: () => Promise<T>): Promise<T> {
    this.commits++
    const isLast = this.#killed?.commit === this.commits
    if (isLast && this.#killed?.when === 'before') void this.die()
    const result = await this.#alive(write)
    if (isLast) void this.die()
    return this.#alive(async () => result)
  }

  async #alive<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#away) throw this.#away
    return this.dead ? new Promise(() => undefined) : ask()
  }
}
