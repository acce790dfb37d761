import type { Logger } from 'pino'
import type { Agent } from '../../agent/agent.ts'
import type { AgentRequest } from '../../agent/agent-request.ts'
import type { PartListener } from '../../agent/answer/live/part-listener.ts'
import type { Generated } from '../../agent/answer/generated.ts'
import type { RecordedCalls } from '../../agent/answer/journal/recorded-calls.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import type { StepPlace } from '../../contract/usage/step-place.ts'
import type { PendingResponses } from '../../agent/answer/waiting/resumed-answer.ts'
import type { SuspendedExecution } from './step-task.ts'
import type { RegisteredWorkflow } from '../registry.ts'

/** A step's request to an agent, within the span of its attempt. */
export type TracedQuestion = AgentRequest & {
  readonly trace: TraceScope
  /** Set if the answer survives the process. */
  readonly request?: RepeatedRequest
}

/** A request that is made again after a crash. */
export interface RepeatedRequest {
  readonly requestKey: string
  /** It has not been made before, by a process that crashed. */
  readonly isFirst: boolean
  /** Records its calls. */
  readonly calls: RecordedCalls
  /** Whether the step is tried again after this failure. */
  readonly isRetried: (failure: unknown) => boolean
  /** The answer to continue with, when it waited for responses. */
  readonly waited?: WaitedAnswer | undefined
  /** How long the answer may wait for responses, in milliseconds. Default: `approvals.timeout`. */
  readonly timeoutMs?: number | undefined
}

/** An answer that waited for responses, and now continues. */
export interface WaitedAnswer extends SuspendedExecution {
  /** `undefined` when the time for them is over. */
  readonly responses: PendingResponses | undefined
}

/** The answer to a step, and its run. */
export interface StepAnswer extends Generated {
  readonly runId: string
  /** How long it may wait for responses, in milliseconds; undefined if its record knows. */
  readonly timeoutMs?: number | undefined
}

/** With the execution that the step belongs to. */
export type ExecutionQuestion = TracedQuestion & {
  readonly execution: Pick<ExecutionRow, 'id' | 'traceId' | 'kind'> & Partial<Pick<ExecutionRow, 'parentId'>>
  /** Undefined for what the server itself asks. */
  readonly place?: StepPlace
  /** Receives the live parts of the answer. */
  readonly listener?: PartListener
}

/** A suspension to which a signed link leads. */
export interface LinkedSuspension {
  readonly executionId: string
  /** The path of the suspended step. */
  readonly path: string
  /** How often the step was resumed before: the next resume uses the link up. */
  readonly resumes: number
  /** In milliseconds since the epoch. */
  readonly expiresAt: number
}

/** The facts of a run that are the same for all its steps. `input` and `context` are JSON text. */
export interface RunContext {
  readonly workflow: RegisteredWorkflow
  readonly input: string
  readonly context: string
  readonly userId: string | undefined
  /** The authenticated user as JSON text. */
  readonly user: string | null
  /** The authenticated user who last resumed the execution, as JSON text. */
  readonly resumedUser: string | null
  readonly conversationId: string | undefined
  readonly logger: Logger
  /** The ids that its log records carry. */
  readonly logBindings: {
    readonly executionId: string
    readonly workflowId: string
    readonly traceId: string
  }
  /** Requests an answer from an agent for the step at a path. */
  readonly ask: (agent: Agent, question: TracedQuestion, path: string) => Promise<StepAnswer>
  /** The URL of a signed link to a suspension of a step; `undefined` where there is none. */
  readonly resumeUrl: (suspension: Omit<LinkedSuspension, 'executionId'>) => string | undefined
  /** How long such a link is valid without a timeout, in milliseconds. */
  readonly linkTtlMs: number
  /** The maximum size of a step's result, suspend data or event payload as JSON, in bytes. */
  readonly resultBytes: number
  /** The maximum number of items of an andForEach step. */
  readonly maxItems: number
  /** The maximum number of recorded calls of a function. */
  readonly maxCalls: number
}
