import type { ActivityStore } from './activity-store.ts'
import type { AgentRunStore, ConversationStore } from './agent-store.ts'
import type { LogStore } from './log-store.ts'
import type { TraceStore } from './trace-store.ts'
import type { ExecutionStore } from './execution-store.ts'

/**
 * Where executions, agent runs, conversations and traces are kept. Every backend passes the same suite. Values of user code are JSON text, instants
 * are milliseconds since the epoch.
 */
export interface Store {
  /** Raised by one each time a process becomes the owner of the database; carried by every write. */
  readonly ownerEpoch: number
  readonly executions: ExecutionStore
  readonly agentRuns: AgentRunStore
  readonly conversations: ConversationStore
  readonly logs: LogStore
  readonly traces: TraceStore
  readonly activity: ActivityStore
  close(): Promise<void>
}
