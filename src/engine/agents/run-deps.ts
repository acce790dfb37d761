import type { Logger } from 'pino'
import type { Generated } from '../../agent/answer/generated.ts'
import type { RecordedCalls } from '../../agent/answer/journal/recorded-calls.ts'
import type { PartListener } from '../../agent/answer/live/part-listener.ts'
import type { ModelRecorder } from '../../agent/answer/model-recorder.ts'
import type { CallSubAgent } from '../../agent/answer/prepare-call.ts'
import type { AnswerStream } from '../../agent/answer/stream-answer.ts'
import type { Waits } from '../../agent/answer/waiting/pending-calls.ts'
import type { ResumedAnswer } from '../../agent/answer/waiting/resumed-answer.ts'
import type { Environment } from '../../agent/models/model-provider.ts'
import type { ModelPrices } from '../../agent/prices/model-price.ts'
import type { HeldCalls } from '../../agent/tools/held-calls.ts'
import type { StepPlace } from '../../contract/usage/step-place.ts'
import type { Clock } from '../../lib/clock.ts'
import type { NewId } from '../../lib/ids.ts'
import type { OpenSpan, TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { AgentRunRow } from '../../store/agent-store.ts'
import type { Store } from '../../store/store.ts'
import type { BudgetOrigin, Budgets } from '../budgets/budgets.ts'
import type { Extended } from '../conversations/summariser.ts'
import type { WorkingMemories } from '../conversations/working-memories.ts'
import type { EngineMeter } from '../engine-meter.ts'
import type { AgentRun } from './agent-run.ts'
import type { Delivery } from './agent-call.ts'
import type { RunFacts } from './continuation.ts'

/** The origin of a run that survives its process. */
export interface DurableOrigin {
  /** `null` for an answer that ends with its client. */
  readonly delivery: Delivery | null
  /** By which what requested it finds it again. */
  readonly requestKey?: string
  /** It has begun before: what it asks of sub-agents may have been asked. */
  readonly continued?: boolean
  /** Records its calls. */
  readonly calls: RecordedCalls
  /** Whether what requested it tries again after this failure. Then a run that has waited is kept for that. */
  readonly isRetried?: ((failure: unknown) => boolean) | undefined
}

/** The dependencies that all runs of a process share. */
export interface AgentRunDeps {
  readonly store: Store
  readonly clock: Clock
  readonly newId: NewId
  readonly logger: Logger
  readonly resultBytes: number
  readonly env: Environment
  readonly production: boolean
  readonly projectDir: string
  /** Records what models answer, or answers in their place. Default: models are called and nothing is recorded. */
  readonly modelRecorder?: ModelRecorder | undefined
  /** Redacts secrets in error messages. */
  readonly redact: (text: string) => string
  readonly meter: EngineMeter
  readonly budgets: Budgets
  readonly memories: WorkingMemories
  /** Whether the configuration has an auth provider. */
  readonly hasUsers: () => boolean
  /** Called when an answer has extended a conversation. */
  readonly onExtended: (extended: Extended) => void
  /** The prices of the current configuration. */
  readonly prices: () => ModelPrices
  /** How long a run waits for approvals and for tools of the client, in milliseconds. */
  readonly approvalsTimeoutMs: number
  /** The tool calls of suspended runs that wait for forms. */
  readonly heldCalls: HeldCalls
}

/** The calls that answers to callers of the API wait for. */
export const APPROVALS: Waits = { approvals: true, clientTools: false }

/** A run that was started, and the request to its model. */
export interface StartedRun {
  readonly run: AgentRun
  readonly row: AgentRunRow
  readonly span: OpenSpan
  readonly generate: () => Promise<Generated>
  readonly stream: () => Promise<AnswerStream>
  /** What the run needs to go on when its answer waits. */
  readonly facts: RunFacts
}

/** The execution that a run belongs to. */
export interface RunOrigin {
  readonly traceId?: string
  readonly logger?: Logger
  /** The scope of the run's span. */
  readonly trace?: TraceScope | undefined
  /** Whose part it is. Default: a caller's. */
  readonly requester?: AgentRunRow['requester']
  /** The execution or the run that it is a part of. */
  readonly parentId?: string
  /** The step for which it answers, also as the sub-agent of another run. */
  readonly place?: StepPlace | undefined
  /** The budgets of what requested it. */
  readonly budgetOrigin?: BudgetOrigin | undefined
  /** Set for a run that another process can continue. */
  readonly durable?: DurableOrigin | undefined
  /** How long it waits for responses, in milliseconds. Default: as configured. */
  readonly approvalsTimeoutMs?: number
  /** Receives the live parts of an answer to a step or an agent. */
  readonly listener?: PartListener | undefined
}

/** Dependencies of one run. */
export interface StartRunDeps extends AgentRunDeps {
  readonly traceId: string
  readonly span: OpenSpan
  readonly requester?: AgentRunRow['requester']
  readonly parentId?: string
  readonly place?: StepPlace | undefined
  readonly budgetOrigin?: BudgetOrigin | undefined
  readonly durable?: DurableOrigin | undefined
  readonly listener?: PartListener | undefined
  /** Creates the function that calls sub-agents on behalf of the run. */
  readonly callSubAgent: (run: AgentRun, resumed: ResumedAnswer | undefined) => CallSubAgent
}
