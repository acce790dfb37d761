import type { Agent } from '../../agent/agent.ts'
import type { Tool, ToolContext } from '../../agent/tools/tool.ts'
import type { LogRecord } from '../../contract/endpoints/log.ts'
import type { JsonSchema } from '../../lib/schema/schema.ts'
import type { WorkflowDefinition } from '../../workflow/definition.ts'
import type { McpPrompt } from './served-prompt.ts'
import type { McpResource, ReadContext } from './served-resource.ts'
import type { TaskResponse, TaskState } from './task.ts'

/** The prompt that a client sends to an agent. */
export interface AgentPrompt {
  readonly prompt: string
  /** The id of a new or existing conversation. */
  readonly conversationId: string | undefined
}

/** The members of a tool's context that depend on its client. */
export interface ClientContext extends Pick<ToolContext, 'reportProgress' | 'elicit' | 'sample'> {
  /** Called with each log record of the tool. */
  readonly onLog?: ((record: LogRecord) => void) | undefined
}

/** The resumption of a suspended execution that a client requests. */
export interface ResumeRequest {
  readonly executionId: string
  readonly resumeData: unknown
  /** Of several steps that wait, the one to resume. */
  readonly stepId?: string | undefined
}

/** A call that was started: its task, or its result where the client could not read the task. */
export type StartedTask = { readonly task: TaskState } | { readonly value: unknown }

/** The calls of a client that are tasks: executions, and answers of agents that are recorded. */
export interface TaskCalls {
  /** Resolves when the task is stored. */
  readonly workflow: (workflow: WorkflowDefinition, input: unknown) => Promise<StartedTask>
  readonly agent: (agent: Agent, question: AgentPrompt) => Promise<StartedTask>
  /** Throws AppError `not_found`, as the others do. */
  readonly get: (taskId: string) => Promise<TaskState>
  /** Continues a task that waits. Responses to what it does not wait for are ignored. */
  readonly update: (taskId: string, responses: ReadonlyMap<string, TaskResponse>) => Promise<void>
  /** Does nothing when the task has ended. */
  readonly cancel: (taskId: string) => Promise<void>
}

/** Runs the tools, agents, workflows, resources and prompts of a served MCP server. */
export interface McpCalls {
  readonly tool: (tool: Tool, input: unknown, more: ClientContext) => Promise<unknown>
  readonly agent: (
    agent: Agent,
    question: AgentPrompt,
    client: Pick<ClientContext, 'elicit'>,
  ) => Promise<string>
  readonly workflow: (
    workflow: WorkflowDefinition,
    input: unknown,
    client: Pick<ClientContext, 'elicit'>,
  ) => Promise<unknown>
  readonly resume: (
    workflow: WorkflowDefinition,
    request: ResumeRequest,
    client: Pick<ClientContext, 'elicit'>,
  ) => Promise<unknown>
  readonly resource: (resource: McpResource, found: Pick<ReadContext, 'uri' | 'params'>) => Promise<unknown>
  readonly prompt: (prompt: McpPrompt, values: Readonly<Record<string, string>>) => Promise<unknown>
  readonly tasks: TaskCalls
}

/** A tool of a served MCP server. */
export interface ServedTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: ObjectSchema
  readonly outputSchema?: ObjectSchema
  /** Whether the tool may return MCP content instead of a value. */
  readonly returnsContent?: boolean
  readonly call: (input: unknown, calls: McpCalls, more: ClientContext) => Promise<unknown>
  /** Starts a call that survives its client, and the process. */
  readonly startTask?: (input: unknown, calls: McpCalls) => Promise<StartedTask>
}

/** The schema of an object: the input and output of MCP tools are always objects. */
export type ObjectSchema = JsonSchema & { readonly type: 'object' }

export function asObject(schema: JsonSchema): ObjectSchema {
  return { ...schema, type: 'object' }
}
