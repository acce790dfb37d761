import { isDeepStrictEqual } from 'node:util'
import type { TrialBody } from '../contract/endpoints/agents/lab.ts'
import { AppError } from '../lib/errors.ts'
import { compileSchema } from '../lib/schema/schema.ts'
import type { Agent } from './agent.ts'
import { parseModelName } from './models/model-choice.ts'
import type { AgentModel, ModelName } from './model-object.ts'
import { chosenTool } from './loop-options.ts'
import type { LoopOptions, NamedTools } from './loop-options.ts'
import { modelList } from './resolve-agent.ts'
import { subAgentToolName } from './sub-agent.ts'
import { WORKING_MEMORY_TOOL } from './conversation/working-memory-tool.ts'
import { isToolSource } from './tools/tool-source.ts'
import type { Tool } from './tools/tool.ts'

/** What a trial changes of an agent. */
export type TrialChanges = Omit<TrialBody, 'input' | 'options'>

/**
 * An agent as a trial asks it: with the changes, without memory and hooks. Its tools return the recorded results of the
 * same calls; other calls fail, unless tools may be executed. Its sub-agents are asked by `trialSubAgent`.
 *
 * @throws AppError `invalid_input` naming the model or the tool that does not exist.
 */
export function trialAgent(agent: Agent, changes: TrialChanges): Agent {
  const { instructions, model, tools: names } = changes
  const chosen = (tools: readonly Tool[]) => {
    const known = new Set([...tools.map(({ name }) => name), ...agent.subAgents.map(subAgentToolName)])
    const unknown = names?.find((name) => !known.has(name))
    if (unknown !== undefined)
      throw new AppError('invalid_input', `tools: the agent has no tool "${unknown}"`)
    const wanted = names ? tools.filter(({ name }) => names.includes(name)) : tools
    return wanted.map((tool) => trialTool(tool, changes))
  }
  const { toolsOf, toolChoice, activeTools, prepareStep, ...rest } = agent
  const isKept = (name: string) => name !== WORKING_MEMORY_TOOL && (names?.includes(name) ?? true)
  const changed = { instructions, model }
  return {
    ...rest,
    ...keptTools({ toolChoice, activeTools }, isKept),
    ...(prepareStep && {
      prepareStep: async (step) => {
        const { toolChoice, activeTools, ...settings } = (await prepareStep(step)) ?? {}
        return {
          ...settings,
          ...keptTools({ toolChoice, activeTools }, isKept),
          ...(model !== undefined && { model: undefined }),
          ...(instructions !== undefined && { instructions, system: undefined }),
        }
      },
    }),
    ...(instructions !== undefined && { instructions }),
    ...(model !== undefined && { model: modelOf(agent, model) }),
    ...(toolsOf && {
      toolsOf: async (request) => {
        const declared = await toolsOf(request)
        return chosen(declared.flatMap((tool) => (isToolSource(tool) ? tool.tools : [tool])))
      },
    }),
    tools: chosen(agent.tools),
    toolSources: agent.toolSources,
    perRequest: agent.perRequest.filter((option) => option === 'tools' || changed[option] === undefined),
    subAgents: agent.subAgents.filter((one) => isKept(subAgentToolName(one))),
    memory: false,
    resumable: false,
    hooks: {},
  }
}

/** Tool settings without the tools that a trial does not have. */
function keptTools(
  { toolChoice, activeTools }: NamedTools,
  isKept: (name: string) => boolean,
): Pick<LoopOptions, 'toolChoice' | 'activeTools'> {
  const chosen = chosenTool(toolChoice)
  return {
    ...(toolChoice !== undefined && (chosen === undefined || isKept(chosen)) && { toolChoice }),
    ...(activeTools !== undefined && { activeTools: activeTools.filter((name) => isKept(name)) }),
  }
}

function modelOf(agent: Agent, name: string): AgentModel {
  const declared = typeof agent.model === 'function' ? [] : modelList(agent.model)
  const own = declared.find((one) => typeof one === 'object' && `${one.provider}/${one.modelId}` === name)
  if (own !== undefined) return own
  const parsed = parseModelName(name)
  if ('problem' in parsed) throw new AppError('invalid_input', `model: ${parsed.problem}`)
  return name as ModelName
}

/**
 * The recorded answer of a sub-agent to the same prompt; `undefined` when it may be asked.
 *
 * @throws Error when it is not recorded, and tools are not executed.
 */
export function trialSubAgent(
  subAgent: Agent,
  prompt: string,
  { toolResults = [], executeTools = false }: TrialChanges,
): string | undefined {
  const toolName = subAgentToolName(subAgent)
  const recorded = toolResults.find(
    (one) => one.toolName === toolName && isDeepStrictEqual(one.input, { prompt }),
  )
  if (!recorded && !executeTools) throw new Error(NOT_RECORDED)
  if (!recorded) return undefined
  const { output = null } = recorded
  return typeof output === 'string' ? output : JSON.stringify(output)
}

const NOT_RECORDED = 'Not executed: there is no recorded result of this call'

function trialTool(tool: Tool, { toolResults = [], executeTools = false }: TrialChanges): Tool {
  return {
    ...tool,
    needsApproval: () => false,
    execute: async (input, context) => {
      for (const recorded of toolResults)
        if (recorded.toolName === tool.name && (await isSame(tool, recorded.input, input)))
          return recorded.output
      if (!executeTools || !tool.execute) throw new Error(NOT_RECORDED)
      if (await tool.needsApproval(input, context)) throw new Error('Not executed: the call needs approval')
      return tool.execute(input, context)
    },
  }
}

/** Whether a recorded input is that of a call, which has passed the schema of the tool. */
async function isSame({ inputSchema }: Tool, recorded: unknown, input: unknown): Promise<boolean> {
  if (isDeepStrictEqual(recorded, input)) return true
  const validation = await compileSchema(inputSchema).validate(recorded)
  return validation.ok && isDeepStrictEqual(validation.value, input)
}
