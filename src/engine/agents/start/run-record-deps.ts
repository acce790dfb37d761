import type { Logger } from 'pino'
import type { FinishReason, Usage } from '../../../contract/agent-event.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { OpenSpan } from '../../../lib/telemetry/trace-scope.ts'
import type { AgentRunEnd, AgentRunStore } from '../../../store/agent-store.ts'
import type { Exchange } from '../../../store/agents/conversation-store.ts'
import type { StepPlace } from '../../../contract/usage/step-place.ts'
import type { EngineMeter } from '../../engine-meter.ts'
import type { StoredContinuation } from '../continuation.ts'

/** The dependencies of the record of a run in progress. */
export interface RunRecordDeps {
  readonly runs: AgentRunStore
  readonly clock: Clock
  readonly logger: Logger
  /** The maximum size of a stored answer as JSON, in bytes. */
  readonly limit: number
  /** Ends with the run. */
  readonly span: OpenSpan
  /** Redacts secrets in error messages. */
  readonly redact: (text: string) => string
  readonly production: boolean
  readonly meter: EngineMeter
  /** How long it waits for responses, in milliseconds. */
  readonly approvalsTimeoutMs: number
  /** Called when the answer has extended a conversation. */
  readonly onStored: (exchange: Exchange) => void
  /** The step for which it answers; undefined for the run of a caller. */
  readonly place: StepPlace | undefined
  /** With what it goes on later. Set if another process continues the run when this one ends. */
  readonly continuation?: (() => StoredContinuation) | undefined
  /** Whether the step is tried again after this failure, and goes on with the run. Set for a run that has waited. */
  readonly isRetried?: ((failure: unknown) => boolean) | undefined
}

/** How a run ended. */
export type AgentOutcome = Pick<AgentRunEnd, 'status'> & {
  readonly output?: unknown
  /** For the record, which callers may read. */
  readonly error?: string
  /** For the span. */
  readonly reason?: string
  readonly usage?: Usage | undefined
  readonly steps?: unknown
  readonly finishReason?: FinishReason
  /** Why a guardrail blocked it. */
  readonly blockedReason?: string
}
