import type { AgentId, ConfigTypes, ToolInputOf, ToolName, ToolResultOf } from '../calls/workflow-types.ts'
import type { WorkflowId, WorkflowInputOf, WorkflowResultOf } from '../calls/workflow-types.ts'
import type { Metadata } from '../contract/metadata.ts'
import type { ExecutionFilters, ExecutionRecord } from '../contract/endpoints/execution.ts'
import type { ToolResult } from '../contract/endpoints/tool.ts'
import type { EventResult } from '../contract/endpoints/workflow.ts'
import type { z } from 'zod'
import { requireKind, requireObject } from '../lib/require-object.ts'
import { AgentClient } from './agent-client.ts'
import { createApiClient } from './api.ts'
import type { ApiClient, ClientOptions } from './api.ts'
import { abortedBy, numbers } from './call.ts'
import type { Abortable, BodyOf } from './call.ts'
import { WorkflowClient } from './workflow-client.ts'

/** Options of a tool call. */
export interface ToolCallOptions extends Omit<BodyOf<'executeTool'>, 'input'>, Abortable {}

/** One tool of the server. */
export interface ToolClient<Input = unknown, Result = unknown> {
  /**
   * Calls the tool, and waits for its result. `POST /tools/:name/execute`
   *
   * @throws ApiError 400 naming the field of the input that is not valid, 404 for an unknown tool, 409 when the call needs
   *   `approve: true`, 500 when the tool fails
   */
  execute(
    input: Input,
    options?: ToolCallOptions,
  ): Promise<
    Omit<ToolResult, 'result'> & {
      /** Return value of the tool. */
      readonly result: Result
    }
  >
}

/** Which executions are listed. */
export interface ExecutionsQuery extends z.input<typeof ExecutionFilters>, Abortable {
  /** Only executions whose metadata has these values. */
  readonly metadata?: Metadata | undefined
  /** At most 200. Default: 20. */
  readonly limit?: number | undefined
  /** Number of executions to skip. Default: 0. */
  readonly offset?: number | undefined
}

/** A server. With the type of a configuration, its workflows, agents and tools are typed. */
export interface Client<Config extends ConfigTypes = ConfigTypes> {
  /** A workflow: start its executions, and follow, resume and cancel them. Sends no request by itself. */
  workflow<Id extends WorkflowId<Config>>(
    id: Id,
  ): string extends WorkflowId<Config>
    ? WorkflowClient
    : WorkflowClient<WorkflowInputOf<Config, Id>, WorkflowResultOf<Config, Id>>
  /** An agent: its answers and conversations. Sends no request by itself. */
  agent(id: AgentId<Config>): AgentClient
  /** A tool. Sends no request by itself. */
  tool<Name extends ToolName<Config>>(
    name: Name,
  ): ToolClient<ToolInputOf<Config, Name>, ToolResultOf<Config, Name>>
  /**
   * Sends an event: resumes the executions that wait for it, starts workflows, and cancels executions. `POST /events`
   *
   * @example
   * await client.sendEvent({ name: 'payment.received', key: order.id, data: { amount: 12 } })
   */
  sendEvent(event: BodyOf<'sendEvent'>, options?: Abortable): Promise<EventResult>
  /**
   * Lists executions, newest first. `GET /workflows/executions`
   *
   * @example
   * const waiting = await client.executions({ workflowId: 'expense', status: 'suspended' })
   */
  executions(query?: ExecutionsQuery): Promise<ExecutionRecord[]>
  /** A method for every endpoint, by its operation id, and in `api.console` those for the pages of the console. */
  readonly api: ApiClient
}

/**
 * Creates a typed client of a server. Calls reject with `ApiError` for error responses, and with the error of `fetch` when
 * the server can't be reached. With the type of a configuration made by `defineConfig()`, the ids of its workflows, agents
 * and tools are typed, and so are the inputs and results of its workflows.
 *
 * @example
 * const client = createClient<typeof config>({ baseUrl: 'http://localhost:3141' })
 * const { result } = await client.workflow('order').execute({ amount: 5 })
 * const { text } = await client.agent('clerk').generate('Where is order 7?', { userId: 'ada' })
 */
export function createClient<Config extends ConfigTypes = ConfigTypes>(
  options: ClientOptions,
): Client<Config> {
  requireObject('createClient', 'options', options, {
    token: 'string',
    consoleKey: 'string',
    dev: 'boolean',
    fetch: 'function',
  })
  requireKind('createClient', 'options.baseUrl', options.baseUrl, 'string')
  const api = createApiClient(options)
  return {
    api,
    workflow: ((id: string) =>
      new WorkflowClient(api, named('workflow', 'id', id))) as Client<Config>['workflow'],
    agent: (id) => new AgentClient(api, named('agent', 'id', id)),
    tool: ((name: string) => toolClient(api, named('tool', 'name', name))) as Client<Config>['tool'],
    executions: ({ limit, offset, metadata = {}, signal, ...filters } = {}) => {
      const values = Object.entries(metadata).map(([name, value]) => [`metadata.${name}`, String(value)])
      const query = { ...filters, ...Object.fromEntries(values), ...numbers({ limit, offset }) }
      return api.listExecutions({ query, ...abortedBy({ signal }) })
    },
    sendEvent: (body, options = {}) => api.sendEvent({ body, ...abortedBy(options) }),
  }
}

function toolClient(api: ApiClient, name: string): ToolClient {
  return {
    execute: (input, { signal, ...body } = {}) =>
      api.executeTool({ params: { name }, body: { ...body, input }, ...abortedBy({ signal }) }),
  }
}

function named(method: string, argument: string, value: string): string {
  requireKind(method, argument, value, 'string')
  return value
}
