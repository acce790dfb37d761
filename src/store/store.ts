import type { AppError } from '../lib/errors.ts'
import type { UsageStore } from './usage-store.ts'
import type { AgentRunStore } from './agent-store.ts'
import type { BudgetStore } from './budget-store.ts'
import type { ConversationStore } from './agents/conversation-store.ts'
import type { LogStore } from './log-store.ts'
import type { TraceStore } from './trace-store.ts'
import type { ScheduleStore } from './schedule-store.ts'
import type { WorkingMemoryStore } from './agents/working-memory-store.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { ErasureStore } from './erasure-store.ts'
import type { EvalStore } from './evals/eval-store.ts'
import type { EventStore } from './event-store.ts'
import type { ExecutionStore } from './execution-store.ts'
import type { FailureStore } from './failure-store.ts'
import type { QueueStore } from './queue-store.ts'
import type { SearchStore } from './search/search-store.ts'
import type { RemoteChanges } from './remote-changes.ts'

/**
 * The database of executions, agent runs, conversations, logs and traces. Every backend passes the same test suite.
 * Values of user code are JSON text; times are milliseconds since the epoch.
 */
export interface Store {
  /** Number of this owner: each process that opens the database for writing gets the next one. */
  readonly ownerEpoch: number
  /** Time of the newest record when the database was opened; `undefined` when there was none, and until then. */
  readonly newestRecordAt: number | undefined
  readonly health: StoreHealth
  readonly executions: ExecutionStore
  readonly failures: FailureStore
  readonly agentRuns: AgentRunStore
  readonly conversations: ConversationStore
  readonly workingMemory: WorkingMemoryStore
  readonly logs: LogStore
  readonly traces: TraceStore
  readonly usage: UsageStore
  readonly budgets: BudgetStore
  readonly schedules: ScheduleStore
  readonly queue: QueueStore
  readonly events: EventStore
  readonly evals: EvalStore
  readonly search: SearchStore
  readonly erasure: ErasureStore
  readonly dispatcher: Dispatcher
  readonly changes: RemoteChanges
  /** What runs on any machine. Absent where one process owns the database. */
  readonly running?: () => Promise<RunningWork>
  /**
   * Gives a part of the space that deleted records have left back to the file system, and returns the bytes; 0 when
   * there is none to give back, or the database manages its space itself.
   */
  giveSpaceBack(): Promise<number>
  close(): Promise<void>
}

export interface RunningWork {
  /** Ids of workflows that have a running execution. */
  readonly workflows: ReadonlySet<string>
  /** Ids of agents that are answering. */
  readonly agents: ReadonlySet<string>
}

export interface StoreHealth {
  /** Why the database can't be used, `undefined` when it can. */
  readonly problem: AppError | undefined
  /**
   * Whether changes of executions wait while the database can't be used, as for a server that is away. Otherwise they
   * fail, and the executions are recovered later.
   */
  readonly waits: boolean
  /** Resolves when the database can be used for the first time. Never, if the store is closed before. */
  readonly opened: Promise<void>
}
