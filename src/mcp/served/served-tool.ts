import type { Agent } from '../../agent/agent.ts'
import type { Tool, ToolContext } from '../../agent/tools/tool.ts'
import type { LogRecord } from '../../contract/endpoints/log.ts'
import type { JsonSchema } from '../../lib/schema/schema.ts'
import type { WorkflowDefinition } from '../../workflow/definition.ts'
import type { McpPrompt } from './served-prompt.ts'
import type { McpResource, ReadContext } from './served-resource.ts'

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
}

/** The schema of an object: the input and output of MCP tools are always objects. */
export type ObjectSchema = JsonSchema & { readonly type: 'object' }

export function asObject(schema: JsonSchema): ObjectSchema {
  return { ...schema, type: 'object' }
}
