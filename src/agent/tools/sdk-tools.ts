import type * as Ai from 'ai'
import { AppError } from '../../lib/errors.ts'
import { NO_TRACE, type TraceScope } from '../../lib/telemetry/trace-scope.ts'
import { compileSchema } from '../../lib/schema/schema.ts'
import type { Agent } from '../agent.ts'
import { checkInput, runChecked } from './call-tool.ts'
import { withToolSpan } from './tool-span.ts'
import { subAgentToolName } from '../sub-agent.ts'
import type { Tool, ToolContext } from './tool.ts'

interface ToolRun {
  readonly ai: typeof Ai
  readonly context: ToolContext
  /** Gets a sub-agent's answer. */
  readonly ask: (agent: Agent, prompt: string, trace: TraceScope) => Promise<string>
}

/** An agent's tools and sub-agents as the AI SDK takes them. What goes wrong in one is told to the model. */
export function sdkTools(agent: Agent, run: ToolRun): Ai.ToolSet {
  const { ai } = run
  const tools = agent.tools.map((tool) => {
    const inputSchema = ai.jsonSchema(compileSchema(tool.inputSchema).input)
    const { description } = tool
    const execute = (input: unknown, { toolCallId }: Called) =>
      observed({ agent, run, toolName: tool.name, description, input, toolCallId }, (context) =>
        call(tool, input, context),
      )
    return [tool.name, ai.tool({ description, inputSchema, execute })] as const
  })
  const subAgents = agent.subAgents.map((subAgent) => {
    const toolName = subAgentToolName(subAgent)
    const description = subAgent.description ?? `Asks the agent "${subAgent.name}"`
    const execute = (input: { prompt: string }, { toolCallId }: Called) =>
      observed({ agent, run, toolName, description, input, toolCallId }, (_, trace) =>
        run.ask(subAgent, input.prompt, trace),
      )
    return [toolName, ai.tool({ description, inputSchema: promptSchema(ai), execute })] as const
  })
  return Object.fromEntries([...tools, ...subAgents])
}

function promptSchema(ai: typeof Ai): Ai.Schema<{ prompt: string }> {
  return ai.jsonSchema<{ prompt: string }>(
    {
      type: 'object',
      properties: { prompt: { type: 'string', description: 'What to ask, with all it needs to know' } },
      required: ['prompt'],
      additionalProperties: false,
    },
    {
      validate: (value) =>
        typeof value === 'object' && value !== null && 'prompt' in value && typeof value.prompt === 'string'
          ? { success: true, value: { prompt: value.prompt } }
          : { success: false, error: new AppError('invalid_input', 'input.prompt: must be a text') },
    },
  )
}

interface Observed {
  readonly agent: Agent
  readonly run: ToolRun
  readonly toolName: string
  readonly description: string
  readonly input: unknown
  readonly toolCallId: string
}

/** What the AI SDK tells of a call. */
type Called = Pick<Ai.ToolExecutionOptions, 'toolCallId'>

type Body = (context: ToolContext, trace: TraceScope) => Promise<unknown>

/** Runs `body` within a span, between the agent's tool hooks. */
function observed(observation: Observed, body: Body): Promise<unknown> {
  const { agent, run, toolName: name, description, input, toolCallId: callId } = observation
  const { trace: above = NO_TRACE } = run.context
  return withToolSpan(above, { name, description, input, callId, agentId: agent.id }, (trace) => {
    const { spanId } = trace.place ?? {}
    const { logger } = run.context
    const context = {
      ...run.context,
      trace,
      logger: spanId === undefined ? logger : logger.child({ spanId }),
    }
    return hooked(observation, context, () => body(context, trace))
  })
}

async function hooked(
  { agent, toolName, input }: Observed,
  context: ToolContext,
  body: () => Promise<unknown>,
): Promise<unknown> {
  const { onToolStart, onToolEnd } = agent.hooks
  const start = { toolName, input, context }
  await onToolStart?.(start)
  let output: unknown
  try {
    output = await body()
  } catch (error) {
    context.logger.warn({ err: error, agentId: agent.id, toolName }, `Tool "${toolName}" failed`)
    await onToolEnd?.({ ...start, error })
    throw error
  }
  await onToolEnd?.({ ...start, output })
  return output
}

async function call(tool: Tool, input: unknown, context: ToolContext): Promise<unknown> {
  const checked = await checkInput(tool, input)
  if (await tool.needsApproval(checked, context)) {
    throw new AppError(
      'forbidden',
      `Tool "${tool.name}" needs a person's approval, which nobody can give here`,
    )
  }
  return runChecked(tool, checked, context)
}
