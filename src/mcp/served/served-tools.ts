import type { Agent } from '../../agent/agent.ts'
import { wrapSchema } from '../../agent/answer/wrapped-schema.ts'
import { subAgentToolName } from '../../agent/sub-agent.ts'
import { isClientTool } from '../../agent/tools/tool.ts'
import type { Tool } from '../../agent/tools/tool.ts'
import { AppError } from '../../lib/errors.ts'
import { compileSchema } from '../../lib/schema/schema.ts'
import type { JsonSchema } from '../../lib/schema/schema.ts'
import type { ServedMcpServer } from './served-server.ts'
import { asObject } from './served-tool.ts'
import type { AgentPrompt, ObjectSchema, ServedTool } from './served-tool.ts'
import { workflowTools } from './workflow-tools.ts'

const toolsOf = new WeakMap<ServedMcpServer, readonly ServedTool[]>()

/**
 * The tools of a served MCP server: its tools, its agents (`ask_<id>`) and its workflows (`run_<id>`, and `resume_<id>`
 * for those that may suspend). They are made once for each server.
 */
export function servedTools(server: ServedMcpServer): readonly ServedTool[] {
  const known = toolsOf.get(server)
  if (known) return known
  const made = [
    // clients of MCP have no way to execute the tools of a chat's client
    ...server.tools.filter((tool) => !isClientTool(tool)).map((tool) => fromTool(tool)),
    ...server.agents.map((agent) => fromAgent(agent)),
    ...server.workflows.flatMap((workflow) => workflowTools(workflow)),
  ]
  toolsOf.set(server, made)
  return made
}

/** The tools as `tools/list` returns them. */
export function toolList(
  server: ServedMcpServer,
): Omit<ServedTool, 'call' | 'startTask' | 'returnsContent'>[] {
  return servedTools(server).map(({ call: _, startTask: _start, returnsContent: __, ...tool }) => tool)
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
    call: async (input, calls, more) => calls.agent(agent, readPrompt(input), more),
    ...(agent.resumable === true && {
      startTask: async (input, { tasks }) => tasks.agent(agent, readPrompt(input)),
    }),
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

/** A schema that declares `$schema` still does after its conversion, which makes it draft 2020-12. */
function dialectOf({ inputSchema }: Tool): JsonSchema {
  return '$schema' in inputSchema ? { $schema: 'https://json-schema.org/draft/2020-12/schema' } : {}
}
