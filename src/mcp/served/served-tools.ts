import type { Agent } from '../../agent/agent.ts'
import { wrapSchema } from '../../agent/answer/wrapped-schema.ts'
import { subAgentToolName } from '../../agent/sub-agent.ts'
import type { Tool, ToolContext } from '../../agent/tools/tool.ts'
import type { LogRecord } from '../../contract/endpoints/log.ts'
import { AppError } from '../../lib/errors.ts'
import { compileSchema, type JsonSchema } from '../../lib/schema/schema.ts'
import type { WorkflowDefinition } from '../../workflow/definition.ts'
import type { McpPrompt } from './served-prompt.ts'
import type { McpResource, ReadContext } from './served-resource.ts'
import type { ServedMcpServer } from './served-server.ts'
import { workflowToolName } from '../tool-name.ts'

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

/** Runs the tools, agents, workflows, resources and prompts of a served MCP server. */
export interface McpCalls {
  readonly tool: (tool: Tool, input: unknown, more: ClientContext) => Promise<unknown>
  readonly agent: (agent: Agent, question: AgentPrompt) => Promise<string>
  readonly workflow: (workflow: WorkflowDefinition, input: unknown) => Promise<unknown>
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

/** The tools of a served MCP server: its tools, its agents (`ask_<id>`) and its workflows (`run_<id>`). */
export function servedTools({ tools, agents, workflows }: ServedMcpServer): ServedTool[] {
  return [
    ...tools.map((tool) => fromTool(tool)),
    ...agents.map((agent) => fromAgent(agent)),
    ...workflows.map((workflow) => fromWorkflow(workflow)),
  ]
}

/** The tools as `tools/list` returns them. */
export function toolList(server: ServedMcpServer): Omit<ServedTool, 'call' | 'returnsContent'>[] {
  return servedTools(server).map(({ call: _, returnsContent: __, ...tool }) => tool)
}

function fromTool(tool: Tool): ServedTool {
  const { name, description } = tool
  const { schema, unwrap } = wrapSchema(compileSchema(tool.inputSchema).input)
  const output = tool.outputSchema && compileSchema(tool.outputSchema).output
  return {
    name,
    description,
    inputSchema: asObject({ ...dialectOf(tool), ...schema }),
    ...(output?.['type'] === 'object' && { outputSchema: asObject(output) }),
    returnsContent: output === undefined,
    call: (input, calls, more) => calls.tool(tool, unwrap(input), more),
  }
}

const MAX_CONVERSATION_ID_LENGTH = 256

const PROMPT: ObjectSchema = {
  type: 'object',
  properties: {
    prompt: {
      type: 'string',
      minLength: 1,
      description: 'The question, with all context that is needed to answer it',
    },
    conversationId: {
      type: 'string',
      minLength: 1,
      maxLength: MAX_CONVERSATION_ID_LENGTH,
      description:
        'An id of your choice. Calls with the same id share one conversation, which the agent remembers',
    },
  },
  required: ['prompt'],
  additionalProperties: false,
}

function fromAgent(agent: Agent): ServedTool {
  return {
    name: subAgentToolName(agent),
    title: agent.name,
    description: agent.description ?? `Asks the agent "${agent.name}"`,
    inputSchema: PROMPT,
    call: async (input, calls) => calls.agent(agent, readPrompt(input)),
  }
}

function readPrompt(input: unknown): AgentPrompt {
  const { prompt, conversationId } = input as Record<string, unknown>
  if (typeof prompt !== 'string' || prompt.trim() === '')
    throw new AppError('invalid_input', 'input.prompt: must be a string that is not blank')
  if (conversationId === undefined) return { prompt, conversationId }
  const isText = typeof conversationId === 'string' && conversationId !== ''
  if (!isText || conversationId.length > MAX_CONVERSATION_ID_LENGTH)
    throw new AppError(
      'invalid_input',
      `input.conversationId: must be a string of 1 to ${MAX_CONVERSATION_ID_LENGTH} characters`,
    )
  return { prompt, conversationId }
}

function fromWorkflow(workflow: WorkflowDefinition): ServedTool {
  const { id, name, purpose, inputSchema } = workflow
  const { schema, unwrap } = wrapSchema(
    inputSchema === undefined ? { type: 'object' } : compileSchema(inputSchema).input,
  )
  return {
    name: workflowToolName(id),
    title: name,
    description: purpose === '' ? `Runs the workflow "${name}"` : purpose,
    inputSchema: asObject(schema),
    call: (input, calls) => calls.workflow(workflow, unwrap(input)),
  }
}

/** A schema that declares `$schema` still does after its conversion, which makes it draft 2020-12. */
function dialectOf({ inputSchema }: Tool): JsonSchema {
  return '$schema' in inputSchema ? { $schema: 'https://json-schema.org/draft/2020-12/schema' } : {}
}

function asObject(schema: JsonSchema): ObjectSchema {
  return { ...schema, type: 'object' }
}
