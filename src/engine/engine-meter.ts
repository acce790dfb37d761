import type { ModelCall } from '../agent/models/model-call.ts'
import type { Usage } from '../contract/agent-event.ts'
import type { BudgetCounter } from '../store/budget-store.ts'
import type { AgentRunEnd } from '../store/agent-store.ts'

/** An event of an execution. */
export interface MeteredEvent {
  readonly type: string
  readonly fields?: Readonly<Record<string, unknown>>
}

/** Counts the engine's events for metrics. Called synchronously: it must be fast and not throw. */
export interface EngineMeter {
  execution(workflowId: string, event: MeteredEvent): void
  /** An execution was not started, because its id is that of one that something else made. */
  idTaken(workflowId: string): void
  /** An event did not start a workflow, because its data does not suit it. */
  eventMisfit(workflowId: string): void
  agentRun(run: {
    readonly agentId: string
    readonly model: string
    readonly status: AgentRunEnd['status'] | 'suspended'
    /** The usage of the agent's own model, without sub-agents. */
    readonly usage: Usage
  }): void
  modelCall(call: ModelCall): void
  /** A model call would have exceeded a budget. */
  budgetExceeded(budget: Pick<BudgetCounter, 'declaredOn' | 'per'>): void
}

/** A meter without metrics. */
export const NO_METER: EngineMeter = {
  execution: () => undefined,
  idTaken: () => undefined,
  eventMisfit: () => undefined,
  agentRun: () => undefined,
  modelCall: () => undefined,
  budgetExceeded: () => undefined,
}
