import type { AgentRunStatus } from '../contract/agent.ts'

/** How an execution or step went on: an event's type. */
export interface MeteredEvent {
  readonly type: string
  readonly fields?: Readonly<Record<string, unknown>>
}

/** Tokens of an answer. */
export interface MeteredUsage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cachedInputTokens?: number
  readonly reasoningTokens?: number
}

/** Told what the engine does, to be counted. Called within its work: it must be quick and not throw. */
export interface EngineMeter {
  execution(workflowId: string, event: MeteredEvent): void
  agentRun(run: {
    readonly agentId: string
    readonly model: string
    readonly status: Exclude<AgentRunStatus, 'running'>
    readonly usage: MeteredUsage | undefined
  }): void
}

/** Counts nothing. */
export const NO_METER: EngineMeter = { execution: () => undefined, agentRun: () => undefined }
