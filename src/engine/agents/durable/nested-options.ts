import type { Generated } from '../../../agent/answer/generated.ts'
import type { WaitedRun } from '../../run/run-context.ts'
import type { AgentRun } from '../agent-run.ts'
import type { NestedRequest } from './earlier-run.ts'

/** The answer to a step or an agent, and its run. */
export type NestedAnswer = Generated & { readonly runId: string }

export type ReadAnswer = (answer: Generated) => Promise<void>

/** How an answer is requested. */
export interface NestedOptions {
  readonly request: NestedRequest | undefined
  readonly waited?: WaitedRun | undefined
  readonly requester?: AgentRun
  /** Reads the complete answer. Throws when the step can't use it. */
  readonly read?: ReadAnswer | undefined
}
