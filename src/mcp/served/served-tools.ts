import type { Agent } from '../../agent/agent.ts'
import { answerSchema } from '../../agent/answer/answer-schema.ts'
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

/** What a client asks an agent. */
export interface AgentPrompt {
  readonly prompt: string
  /** The conversation that it goes on with, or begins. */
  readonly conversationId: string | undefined
}

/** What a tool gets besides, where its client wants it. */
export interface ClientSide extends Pick<ToolContext, 'reportProgress' | 'elicit' | 'sample'> {
  /** Is told what the tool logs. */
  readonly onLog?: ((record: LogRecord) => void) | undefined
}

/** What runs behind the tools of a served MCP server. */
export interface McpCalls {
  readonly tool: (tool: Tool, input: unknown, more: ClientSide) => Promise<unknown>
  readonly agent: (agent: Agent, question: AgentPrompt) => Promise<string>
  readonly workflow: (workflow: WorkflowDefinition, input: unknown) => Promise<unknown>
  readonly resource: (resource: McpResource, found: Pick<ReadContext, 'uri' | 'params'>) => Promise<unknown>
  readonly prompt: (prompt: McpPrompt, values: Readonly<Record<string, string>>) => Promise<unknown>
}

/** A tool as MCP clients see it. */
export interface ServedTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: ObjectSchema
  readonly outputSchema?: ObjectSchema
  /** Whether it may give parts for clients instead of a value. */
  readonly givesParts?: boolean
  readonly call: (input: unknown, calls: McpCalls, more: ClientSide) => Promise<unknown>
}

/** MCP takes and gives objects. */
export type ObjectSchema = JsonSchema & { readonly type: 'object' }

/** The tools of a served MCP server: its own, its agents and its workflows. */
export function servedTools({ tools, agents, workflows }: ServedMcpServer): ServedTool[] {
  return [
    ...tools.map((tool) => ofTool(tool)),
    ...agents.map((agent) => ofAgent(agent)),
    ...workflows.map((workflow) => ofWorkflow(workflow)),
  ]
}

/** The same, as clients see them. */
export function toolList(server: ServedMcpServer): Omit<ServedTool, 'call' | 'givesParts'>[] {
  return servedTools(server).map(({ call: _, givesParts: __, ...tool }) => tool)
}

function ofTool(tool: Tool): ServedTool {
  const { name, description } = tool
  const { schema, read } = answerSchema(compileSchema(tool.inputSchema).input)
  const output = tool.outputSchema && compileSchema(tool.outputSchema).output
  return {
    name,
    description,
    inputSchema: asObject({ ...dialectOf(tool), ...schema }),
    ...(output?.['type'] === 'object' && { outputSchema: asObject(output) }),
    givesParts: output === undefined,
    call: (input, calls, more) => calls.tool(tool, read(input), more),
  }
}

const LONGEST_CONVERSATION_ID = 256

const PROMPT: ObjectSchema = {
  type: 'object',
  properties: {
    prompt: { type: 'string', minLength: 1, description: 'What to ask, with all it needs to know' },
    conversationId: {
      type: 'string',
      minLength: 1,
      maxLength: LONGEST_CONVERSATION_ID,
      description: 'Any name; questions under the same one are one conversation, which the agent remembers',
    },
  },
  required: ['prompt'],
  additionalProperties: false,
}

function ofAgent(agent: Agent): ServedTool {
  return {
    name: subAgentToolName(agent),
    title: agent.name,
    description: agent.description ?? `Asks the agent "${agent.name}"`,
    inputSchema: PROMPT,
    call: async (input, calls) => calls.agent(agent, questionOf(input)),
  }
}

function questionOf(input: unknown): AgentPrompt {
  const { prompt, conversationId } = input as Record<string, unknown>
  if (typeof prompt !== 'string' || prompt.trim() === '')
    throw new AppError('invalid_input', 'input.prompt: must be a text that is not blank')
  if (conversationId === undefined) return { prompt, conversationId }
  const isName = typeof conversationId === 'string' && conversationId !== ''
  if (!isName || conversationId.length > LONGEST_CONVERSATION_ID)
    throw new AppError(
      'invalid_input',
      `input.conversationId: must be a text of 1 to ${LONGEST_CONVERSATION_ID} characters`,
    )
  return { prompt, conversationId }
}

function ofWorkflow(workflow: WorkflowDefinition): ServedTool {
  const { id, name, purpose, inputSchema } = workflow
  const { schema, read } = answerSchema(
    inputSchema === undefined ? { type: 'object' } : compileSchema(inputSchema).input,
  )
  return {
    name: workflowToolName(id),
    title: name,
    description: purpose === '' ? `Runs the workflow "${name}"` : purpose,
    inputSchema: asObject(schema),
    call: (input, calls) => calls.workflow(workflow, read(input)),
  }
}

/** A schema that names its dialect goes on naming one: by now it is this. */
function dialectOf({ inputSchema }: Tool): JsonSchema {
  return '$schema' in inputSchema ? { $schema: 'https://json-schema.org/draft/2020-12/schema' } : {}
}

function asObject(schema: JsonSchema): ObjectSchema {
  return { ...schema, type: 'object' }
}
