import type * as Ai from 'ai'
import { AppError } from '../../lib/errors.ts'
import { NO_TRACE, type TraceScope } from '../../lib/telemetry/trace-scope.ts'
import { redactError } from '../../lib/redact/redact-error.ts'
import { compileSchema } from '../../lib/schema/schema.ts'
import type { Agent } from '../agent.ts'
import { subAgentToolName } from '../sub-agent.ts'
import { executeTool, validateInput } from './call-tool.ts'
import { toModelOutput } from './model-output.ts'
import { withToolSpan } from './tool-span.ts'
import type { Tool, ToolContext } from './tool.ts'

interface ToolDeps {
  readonly ai: typeof Ai
  readonly context: ToolContext
  /** Calls a sub-agent and returns the text of its answer. */
  readonly callSubAgent: (agent: Agent, prompt: string, trace: TraceScope) => Promise<string>
  /** Redacts secrets in error messages. */
  readonly redact: (text: string) => string
}

/**
 * The agent's tools and sub-agents as tools of the AI SDK. Errors are returned to the model as the tool result, without
 * secrets: the model may repeat them in its answer.
 */
export function sdkTools(agent: Agent, deps: ToolDeps): Ai.ToolSet {
  const { ai } = deps
  const tools = agent.tools.map((tool) => {
    const inputSchema = ai.jsonSchema(compileSchema(tool.inputSchema).input)
    const { description } = tool
    const execute = (input: unknown, { toolCallId }: SdkCallOptions) =>
      observeCall({ agent, deps, toolName: tool.name, description, input, toolCallId }, (context) =>
        callIfAllowed(tool, input, context),
      )
    const output = { toModelOutput: ({ output }: { output: unknown }) => toModelOutput(output) }
    return [tool.name, ai.tool({ description, inputSchema, execute, ...output })] as const
  })
  const subAgents = agent.subAgents.map((subAgent) => {
    const toolName = subAgentToolName(subAgent)
    const description = subAgent.description ?? `Asks the agent "${subAgent.name}"`
    const execute = (input: { prompt: string }, { toolCallId }: SdkCallOptions) =>
      observeCall({ agent, deps, toolName, description, input, toolCallId }, (_, trace) =>
        deps.callSubAgent(subAgent, input.prompt, trace),
      )
    return [toolName, ai.tool({ description, inputSchema: promptSchema(ai), execute })] as const
  })
  return Object.fromEntries([...tools, ...subAgents])
}

function promptSchema(ai: typeof Ai): Ai.Schema<{ prompt: string }> {
  return ai.jsonSchema<{ prompt: string }>(
    {
      type: 'object',
      properties: {
        prompt: { type: 'string', description: 'The question, with all context that is needed to answer it' },
      },
      required: ['prompt'],
      additionalProperties: false,
    },
    {
      validate: (value) =>
        typeof value === 'object' && value !== null && 'prompt' in value && typeof value.prompt === 'string'
          ? { success: true, value: { prompt: value.prompt } }
          : { success: false, error: new AppError('invalid_input', 'input.prompt: must be a string') },
    },
  )
}

interface ObservedCall {
  readonly agent: Agent
  readonly deps: ToolDeps
  readonly toolName: string
  readonly description: string
  readonly input: unknown
  readonly toolCallId: string
}

/** The options that the AI SDK passes to a tool. */
type SdkCallOptions = Pick<Ai.ToolExecutionOptions, 'toolCallId'>

type Body = (context: ToolContext, trace: TraceScope) => Promise<unknown>

/** Runs `body` within a span and the agent's tool hooks. The error that it throws is redacted. */
async function observeCall(observation: ObservedCall, body: Body): Promise<unknown> {
  try {
    return await observe(observation, body)
  } catch (error) {
    throw redactError(error, observation.deps.redact)
  }
}

function observe(observation: ObservedCall, body: Body): Promise<unknown> {
  const { agent, deps, toolName: name, description, input, toolCallId: callId } = observation
  const { trace: parent = NO_TRACE } = deps.context
  return withToolSpan(parent, { name, description, input, callId, agentId: agent.id }, (trace) => {
    const { spanId } = trace.spanIds ?? {}
    const { logger } = deps.context
    const context = {
      ...deps.context,
      trace,
      logger: spanId === undefined ? logger : logger.child({ spanId }),
    }
    return withHooks(observation, context, () => body(context, trace))
  })
}

async function withHooks(
  { agent, toolName, input }: ObservedCall,
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

async function callIfAllowed(tool: Tool, input: unknown, context: ToolContext): Promise<unknown> {
  const validInput = await validateInput(tool, input)
  if (await tool.needsApproval(validInput, context)) {
    throw new AppError('forbidden', `Tool "${tool.name}" needs approval, which an agent cannot request`)
  }
  return executeTool(tool, validInput, context)
}
