import { AsyncLocalStorage } from 'node:async_hooks'
import type { EventResult } from '../../contract/endpoints/workflow.ts'
import type { ExecutionResult } from '../../contract/event.ts'
import { AppError } from '../../lib/errors.ts'
import type { EventToSend } from '../../step/event-to-send.ts'
import type { StartOptions, StartedWorkflow } from './start.ts'

/** Options of `resumeExecution()`. */
export interface ResumeExecutionOptions {
  /** The id of the step that must be the suspended one. */
  readonly stepId?: string | undefined
}

/** The calls that code can make on the server that runs it. A failed execution is a result, not an error. */
export interface ServerCalls {
  /** Resolves when the execution is stored. */
  start(workflowId: string, input: unknown, options: StartOptions): Promise<StartedWorkflow<unknown>>
  resumeExecution(
    execution: { readonly workflowId: string; readonly executionId: string },
    resumeData: unknown,
    options: ResumeExecutionOptions,
  ): Promise<ExecutionResult>
  /** Resolves when the event is stored. */
  sendEvent(event: EventToSend): Promise<EventResult>
}

interface Servers {
  /** The servers that have a configuration in service. */
  readonly serving: Set<ServerCalls>
  /** The server that runs the code. */
  readonly scope: AsyncLocalStorage<ServerCalls>
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
  const server = scope.getStore() ?? (others.length === 0 ? first : undefined)
  if (server) return server
  const why = first === undefined ? 'no server runs in this process' : 'several servers run in this process'
  throw new AppError(
    'unavailable',
    `${call} works on a server: in its routes, WebSocket handlers, tools, hooks and steps; here, ${why}. Elsewhere, use the client: createClient() of agentserver/client`,
  )
}

/** The server of the code that it runs. */
export class ServerScope {
  readonly #calls: ServerCalls

  constructor(calls: ServerCalls) {
    this.#calls = calls
  }

  /** Runs code, with the callbacks that it adds, so that its calls are made on this server. */
  readonly enter = <T>(work: () => T): T => servers().scope.run(this.#calls, work)

  /** A configuration is in service. */
  begin(): void {
    servers().serving.add(this.#calls)
  }

  /** The server stops. */
  end(): void {
    servers().serving.delete(this.#calls)
  }
}
