import type { Logger } from 'pino'
import type { Approvers } from '../../contract/access/callers.ts'
import type { DeciderKind, ResumeInterface } from '../../contract/access/decision.ts'
import type { User } from '../../contract/auth.ts'
import type { Agent } from '../../agent/agent.ts'
import type { EventHub } from '../../lib/async/event-hub.ts'
import type { LiveItem } from '../../lib/async/live-queue.ts'
import type { Clock } from '../../lib/clock.ts'
import type { NewId } from '../../lib/ids.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import type { JobResult } from '../../store/dispatcher.ts'
import type { Store } from '../../store/store.ts'
import type { EngineMeter } from '../engine-meter.ts'
import type { Registry } from '../registry.ts'
import type { ChildRuns } from '../run/steps/child.ts'
import type { Trials } from '../run/trials.ts'
import type { ErrorRecording } from '../run/errors.ts'
import type { OnCall } from '../run/run.ts'
import type { ExecutionQuestion, LinkedSuspension, StepAnswer } from '../run/run-context.ts'

/** Keeps a generation of the user's code alive while an execution runs on it. */
export interface GenerationHold {
  readonly registry: Registry
  release(): void
}

export interface ExecutionsDeps {
  readonly store: Store
  readonly clock: Clock
  readonly newId: NewId
  readonly random: () => number
  readonly logger: Logger
  /** Receives the id of an execution, and then `ANY_EXECUTION`, when changes of it were stored. */
  readonly hub: EventHub
  /** What happens in the answers of agents to steps, by execution. It is not stored. */
  readonly live: EventHub<LiveItem>
  readonly errors: ErrorRecording
  /** The maximum size of a step's result as JSON, in bytes. */
  readonly resultBytes: number
  /** The maximum number of items of an andForEach step. */
  readonly maxItems: number
  /** The maximum number of recorded calls of a function. */
  readonly maxCalls: number
  /** The maximum number of executions that wait for a slot. */
  readonly maxQueued: number
  /** How long before a wait begins its event may come, in milliseconds. */
  readonly eventsMs: number
  readonly mayReceive: MayReceive
  readonly mayStart: MayStart
  /** The URL of a link to a suspension; `undefined` where there is none, which the log explains. */
  readonly linkTo: (suspension: LinkedSuspension) => string | undefined
  /** How long a link to a suspension without a timeout is valid, in milliseconds. */
  readonly linkTtlMs: () => number
  /** The current generation, without holding it: for reads. */
  readonly registry: () => Registry
  /** Holds the current generation. */
  readonly hold: () => GenerationHold
  /** Requests an answer from an agent for a step; the trace is that of its execution. */
  readonly ask: (agent: Agent, question: ExecutionQuestion) => Promise<StepAnswer>
  /**
   * Validates the responses to the calls that a run of a step's agent waits for. Resolves with who may approve them, as far
   * as their tools declare it.
   *
   * @throws AppError `invalid_input` naming the field; `conflict` when the run does not wait.
   */
  readonly checkResponses: (agent: Agent, runId: string, responses: unknown) => Promise<readonly Approvers[]>
  /** Who had to approve the decided calls of a step's run for a user, as far as their tools declare it. */
  readonly approversOfAnswered: (runId: string, user: User | undefined) => Promise<readonly Approvers[]>
  /** Ends a run of an agent that waits, and whose step needs no answer any more. */
  readonly endAgentRun: (id: string) => Promise<void>
  readonly meter: EngineMeter
  /** The trials of what was in flight when the process crashed. */
  readonly trials: Trials
  /** The scope in which new traces start. */
  readonly trace: () => TraceScope
  /** The version of the package and the hash of the configuration. */
  readonly release: () => string
  /** Runs user code so that its calls are made on the server of this engine. */
  readonly enter: <T>(work: () => T) => T
  /** Ends the records, apart from executions, that a process which has died left open. */
  readonly endOrphaned: () => Promise<void>
  /** Continues a run of an agent whose process has ended before its execution went on. */
  readonly continueRun: (id: string, from: number) => Promise<JobResult>
  /** Ends a suspended run of an agent whose time has come. */
  readonly expireRun: (id: string) => Promise<void>
  /** Whether the schedules of the configuration start executions in this process. */
  readonly runsSchedules: boolean
  /** How long suspend waits for a step boundary, in milliseconds. */
  readonly suspendWaitMs: number
  /** How long cancel waits for compensations, in milliseconds. */
  readonly cancelWaitMs: number
  readonly onCall?: OnCall | undefined
}

/** Whether an event of a sender may resume or cancel an execution. */
export type MayReceive = (
  sender: EventSender,
  execution: Receiver,
  effect: 'resume' | 'cancel',
) => Promise<boolean>

/** Whether an event of a sender may start a workflow. */
export type MayStart = (sender: EventSender, workflowId: string) => Promise<boolean>

/** Who sent an event in a request: a user, nobody who is known, or an operator. The project's code has none. */
export interface EventSender {
  readonly user?: User | undefined
  readonly by?: 'operator' | undefined
}

/** Whether the access rules for users apply to a sender: also to a user who is an operator. */
export function isUser({ user, by }: EventSender): boolean {
  return by === undefined || user !== undefined
}

export type Receiver = Pick<ExecutionRow, 'id' | 'owner' | 'workflowId'>

/** The dependencies of a run in this process. */
export interface LiveRunsDeps extends ExecutionsDeps {
  readonly children: ChildRuns
}

/** A request to suspend or cancel an execution. */
export interface EndCommand {
  readonly reason: string
  /** The authenticated user who made it. */
  readonly user?: User | undefined
}

/** A request to cancel an execution. */
export interface CancelCommand extends EndCommand {
  /** Leaves the compensations, also those that have begun. */
  readonly force?: boolean | undefined
}

/** What a resume passes to each execution that it continues. */
export interface Resumption {
  /** JSON text. */
  readonly resumeData: string | null
  /** The span that requested it. */
  readonly cause?: TraceScope | undefined
  /** The authenticated user who requested it. */
  readonly user?: User | undefined
  /** As whom it was requested, and over which interface. */
  readonly as?: DeciderKind | undefined
  readonly over?: ResumeInterface | undefined
  /** The breakpoints that one of them has from now on. */
  readonly pause?: { readonly executionId: string; readonly pauseAt: readonly string[] } | undefined
  /** The ids of those that run on with the code as it is, also where their records do not fit it. */
  readonly accepts?: readonly string[] | undefined
}

/** An execution, and the workflow that the caller named; without one, any. */
export interface ExecutionRef {
  readonly executionId: string
  readonly workflowId?: string
  /** Set by what has checked the access to the answer: no request finds the execution of one by itself. */
  readonly isAnswer?: true
}
