import { AsyncLocalStorage } from 'node:async_hooks'
import type { Logger } from 'pino'
import type { CancelPending, CancelResult } from '../contract/endpoints/end-results.ts'
import type { ExecutionDetail } from '../contract/endpoints/execution.ts'
import type { EventResult } from '../contract/endpoints/workflow.ts'
import type { ExecutionResult } from '../contract/event.ts'
import type { StepPlace } from '../contract/usage/step-place.ts'
import { AppError } from '../lib/errors.ts'
import type { TraceScope } from '../lib/telemetry/trace-scope.ts'
import type { EventToSend } from '../step/event-to-send.ts'
import type { AnyAnswer } from './answer.ts'
import type { OpenedAnswer } from './streamed-answer.ts'
import type { StartOptions, StartedWorkflow } from './start.ts'

/** Options of `resumeExecution()`. */
export interface ResumeExecutionOptions {
  /** The id of the step that must be the suspended one. */
  readonly stepId?: string | undefined
}

/** Options of `cancelExecution()`. */
export interface CancelExecutionOptions {
  /** Why, for the record. */
  readonly reason?: string | undefined
  /** Leaves out the compensations of completed steps, also when they have begun. */
  readonly force?: boolean | undefined
}

/** An execution of a workflow. */
export interface OneExecution {
  readonly workflowId: string
  readonly executionId: string
}

/** The calls that code can make on the server that runs it. A failed execution is a result, not an error. */
export interface ServerCalls {
  /** Resolves when the execution is stored. */
  start(workflowId: string, input: unknown, options: StartOptions): Promise<StartedWorkflow<unknown>>
  resumeExecution(
    execution: OneExecution,
    resumeData: unknown,
    options: ResumeExecutionOptions,
  ): Promise<ExecutionResult>
  cancelExecution(
    execution: OneExecution,
    options: CancelExecutionOptions,
  ): Promise<CancelResult | CancelPending>
  getExecution(execution: OneExecution): Promise<ExecutionDetail>
  /** Resolves when the event is stored. */
  sendEvent(event: EventToSend): Promise<EventResult>
  /** Asks an agent of the configuration for an answer. */
  generate(agentId: string, input: unknown, options: unknown): Promise<AnyAnswer>
  /** Asks for an answer part by part, which ends when `left` aborts. */
  stream(
    agentId: string,
    input: unknown,
    options: unknown,
    left: AbortSignal,
  ): Promise<OpenedAnswer<unknown, AnyAnswer>>
  /** The log, and the scope for the span of what code calls now. */
  telemetry(): { readonly logger: Logger; readonly trace: TraceScope }
}

/** The part of an execution or of an answer whose function is running: the calls that it makes belong to it. */
export interface CallingPart {
  /** The scope of its span. */
  readonly trace: TraceScope
  /** Aborts with it. */
  readonly signal: AbortSignal
  /** The id of its trace, also where none is recorded. */
  readonly traceId: string | undefined
  /** The step, if it is one or runs for one. */
  readonly place: StepPlace | undefined
}

/** Where code runs. */
interface CodeScope {
  readonly calls?: ServerCalls | undefined
  readonly part?: CallingPart | undefined
  /** The active context of OpenTelemetry. */
  readonly traceContext?: object | undefined
}

interface Servers {
  /** The servers that have a configuration in service. */
  readonly serving: Set<ServerCalls>
  /**
   * The server that runs the code, the part for which it does, and its trace: in one storage, as on Node 20 each storage
   * costs time and memory for every promise of the process.
   */
  readonly scope: AsyncLocalStorage<CodeScope>
}

const SERVERS = Symbol.for('agentserver.servers')

/** Shared by all copies of this package in the process. */
function servers(): Servers {
  const holder = globalThis as { [SERVERS]?: Servers }
  return (holder[SERVERS] ??= { serving: new Set(), scope: new AsyncLocalStorage() })
}

/**
 * The server on which code makes a call: the one that runs the code, or else the only one in the process, such as for
 * a timer of a module.
 *
 * @throws AppError `unavailable` outside of a server, and when several run in the process.
 */
export function currentServer(call: string): ServerCalls {
  const { serving, scope } = servers()
  const [first, ...others] = serving
  const server = scope.getStore()?.calls ?? (others.length === 0 ? first : undefined)
  if (server) return server
  const why = first === undefined ? 'no server runs in this process' : 'several servers run in this process'
  throw new AppError(
    'unavailable',
    `${call} works on a server: in its routes, WebSocket handlers, tools, hooks and steps; here, ${why}. In a script of the project, call openProject() of agentserver/server first. Elsewhere, use the client: createClient() of agentserver/client`,
  )
}

/** The part of an execution or of an answer that makes a call; `undefined` elsewhere, such as in a route. */
export function callingPart(): CallingPart | undefined {
  return servers().scope.getStore()?.part
}

/** Runs the function of a part of an execution or of an answer, with the callbacks that it adds. */
export function enterPart<T>(part: CallingPart, work: () => T): T {
  const { scope } = servers()
  const { calls, traceContext } = scope.getStore() ?? {}
  return calls ? scope.run({ calls, part, traceContext }, work) : work()
}

/** The context that {@link enterTrace} has entered. */
export function activeTraceContext(): object | undefined {
  return servers().scope.getStore()?.traceContext
}

/** Runs code, with the callbacks that it adds, in a context of OpenTelemetry. */
export function enterTrace<T>(traceContext: object, work: () => T): T {
  const { scope } = servers()
  const { calls, part } = scope.getStore() ?? {}
  return scope.run({ calls, part, traceContext }, work)
}

/** The server of the code that it runs. */
export class ServerScope {
  readonly #scope: CodeScope & { readonly calls: ServerCalls }

  constructor(calls: ServerCalls) {
    this.#scope = { calls }
  }

  /** Runs code, with the callbacks that it adds, so that its calls are made on this server. */
  readonly enter = <T>(work: () => T): T => {
    const { scope } = servers()
    const traceContext = scope.getStore()?.traceContext
    return scope.run(traceContext ? { ...this.#scope, traceContext } : this.#scope, work)
  }

  /** A configuration is in service. */
  begin(): void {
    servers().serving.add(this.#scope.calls)
  }

  /** The server stops. */
  end(): void {
    servers().serving.delete(this.#scope.calls)
  }
}
