import type { Usage } from '../contract/agent-event.ts'
import type { AgentRunStatus } from '../contract/endpoints/agent.ts'

/** How an execution or step went on: an event's type. */
export interface MeteredEvent {
  readonly type: string
  readonly fields?: Readonly<Record<string, unknown>>
}

/** Told what the engine does, to be counted. Called within its work: it must be quick and not throw. */
export interface EngineMeter {
  execution(workflowId: string, event: MeteredEvent): void
  agentRun(run: {
    readonly agentId: string
    readonly model: string
    readonly status: Exclude<AgentRunStatus, 'running'>
    /** Of the agent's own model, without sub-agents. */
    readonly usage: Usage
  }): void
}

/** Counts nothing. */
export const NO_METER: EngineMeter = { execution: () => undefined, agentRun: () => undefined }
