import { afterEach, beforeEach, describe } from 'vitest'
import type { UsageStore } from '../../../src/store/usage-store.ts'
import type { AgentRunStore } from '../../../src/store/agent-store.ts'
import type { ConversationStore } from '../../../src/store/agents/conversation-store.ts'
import type { LogStore } from '../../../src/store/log-store.ts'
import type { SearchStore } from '../../../src/store/search/search-store.ts'
import type { TraceStore } from '../../../src/store/trace-store.ts'
import type { ErasureStore } from '../../../src/store/erasure-store.ts'
import type { EvalStore } from '../../../src/store/evals/eval-store.ts'
import type { EventStore } from '../../../src/store/event-store.ts'
import type { FailureStore } from '../../../src/store/failure-store.ts'
import type { ExecutionStore } from '../../../src/store/execution-store.ts'
import type { Store } from '../../../src/store/store.ts'
import type { BudgetStore } from '../../../src/store/budget-store.ts'
import { usageCountTests } from './usage-count-tests.ts'
import { agentApprovalTests } from './agent-approval-tests.ts'
import { agentJournalTests } from './agent-journal-tests.ts'
import { agentRunTests } from './agent-run-tests.ts'
import { budgetTests } from './budget-tests.ts'
import { conversationTests } from './conversation-tests.ts'
import { erasureTests } from './erasure-tests.ts'
import { evalTests } from './eval-tests.ts'
import { failureTests } from './failure-tests.ts'
import { eventTests } from './event-tests.ts'
import { keptConversationTests } from './kept-conversation-tests.ts'
import { listingTests } from './listing-tests.ts'
import { milestoneTests } from './milestone-tests.ts'
import { logTests } from './log-tests.ts'
import { pruningTests } from './pruning-tests.ts'
import type { ScheduleStore } from '../../../src/store/schedule-store.ts'
import { scheduleStoreTests } from './schedule-store-tests.ts'
import { searchTests } from './search-tests.ts'
import { traceTests } from './trace-tests.ts'
import { callCountTests } from './call-count-tests.ts'
import type { WorkingMemoryStore } from '../../../src/store/agents/working-memory-store.ts'
import { workingMemoryTests } from './working-memory-tests.ts'
import { writingTests } from './writing-tests.ts'

/** The store of the current test, which is empty at first. */
export interface StoreUnderTest {
  readonly ownerEpoch: number
  readonly executions: ExecutionStore
  readonly agentRuns: AgentRunStore
  readonly conversations: ConversationStore
  readonly workingMemory: WorkingMemoryStore
  readonly traces: TraceStore
  readonly logs: LogStore
  readonly usage: UsageStore
  readonly failures: FailureStore
  readonly budgets: BudgetStore
  readonly schedules: ScheduleStore
  readonly events: EventStore
  readonly evals: EvalStore
  readonly search: SearchStore
  readonly erasure: ErasureStore
}

const ROOMS = {
  writing: writingTests,
  listing: listingTests,
  milestones: milestoneTests,
  pruning: pruningTests,
  usage: usageCountTests,
  failures: failureTests,
  'durations of steps and model calls': callCountTests,
  'agent runs': agentRunTests,
  'agent runs that survive their process': agentJournalTests,
  'agent runs that are suspended': agentApprovalTests,
  traces: traceTests,
  conversations: conversationTests,
  'kept conversations': keptConversationTests,
  'working memory': workingMemoryTests,
  logs: logTests,
  schedules: scheduleStoreTests,
  events: eventTests,
  'runs of evals': evalTests,
  search: searchTests,
  'deletion on request': erasureTests,
  budgets: budgetTests,
} as const

type Room = keyof typeof ROOMS

/** The tests that every backend must pass. `open` opens a new, empty database. */
export function storeSuite(
  name: string,
  open: () => Promise<Store>,
  rooms = Object.keys(ROOMS) as Room[],
): void {
  // oxlint-disable-next-line vitest/valid-title -- the caller names it
  describe(name, () => {
    let store: Store
    beforeEach(async () => {
      store = await open()
    })
    afterEach(() => store.close())
    const underTest: StoreUnderTest = {
      get ownerEpoch() {
        return store.ownerEpoch
      },
      get executions() {
        return store.executions
      },
      get agentRuns() {
        return store.agentRuns
      },
      get traces() {
        return store.traces
      },
      get workingMemory() {
        return store.workingMemory
      },
      get conversations() {
        return store.conversations
      },
      get logs() {
        return store.logs
      },
      get erasure() {
        return store.erasure
      },
      get evals() {
        return store.evals
      },
      get usage() {
        return store.usage
      },
      get failures() {
        return store.failures
      },
      get budgets() {
        return store.budgets
      },
      get schedules() {
        return store.schedules
      },
      get events() {
        return store.events
      },
      get search() {
        return store.search
      },
    }
    // oxlint-disable-next-line vitest/valid-title, vitest/valid-describe-callback -- each room has a name and its tests
    for (const room of rooms) describe(room, () => ROOMS[room](underTest))
  })
}
