import { abortable } from '../lib/async/abortable.ts'
import { AppError } from '../lib/errors.ts'
import { problemMessages } from '../lib/found-problem.ts'
import type { Agent, AgentTools } from './agent.ts'
import type { PrepareStep } from './loop-options.ts'
import type { AgentModel, AgentModels } from './model-object.ts'
import { nameClashes, toolProblems } from './agent-problems.ts'
import { answerDeadline } from './answer/answer-deadline.ts'
import { isText } from './declaration.ts'
import { modelProblems } from './models/model-problems.ts'
import type { AgentInput, PerRequestOption } from './per-request.ts'
import { isToolSource } from './tools/tool-source.ts'

/** An agent with the options that apply to one request. */
export interface ResolvedAgent extends Omit<Agent, 'instructions' | 'model' | 'toolsOf'> {
  readonly instructions: string
  /** The declared models in the order in which they are called; empty when the environment chooses one. */
  readonly models: readonly AgentModel[]
}

/**
 * Calls the functions among an agent's options.
 *
 * @param given replaces those of the agent, and those that its `prepareStep` returns
 * @throws AppError `execution_failed` when a function throws, with the error as its cause, or returns an invalid
 *   value; `unavailable` when they take longer than the agent's `timeoutMs`; the reason of `signal` when it aborts.
 */
export async function resolveAgent(
  agent: Agent,
  request: AgentInput,
  signal: AbortSignal,
  given: GivenOptions = {},
): Promise<ResolvedAgent> {
  if (agent.perRequest.length === 0) return withOptions(agent, agent as Options, given)
  const deadline = answerDeadline(agent, { signal })
  try {
    return withOptions(agent, await abortable(optionsOf(agent, request, given), deadline.signal), given)
  } finally {
    deadline.clear()
  }
}

/** What replaces options of an agent, for one request. */
interface GivenOptions {
  readonly instructions?: string | undefined
  readonly model?: AgentModels | undefined
}

interface Options {
  readonly instructions: string
  readonly model?: AgentModels | undefined
  /** The tools that a function returned. */
  readonly declared?: AgentTools | undefined
}

async function optionsOf(agent: Agent, request: AgentInput, given: GivenOptions): Promise<Options> {
  const ask = (option: PerRequestOption, value: unknown): unknown =>
    typeof value === 'function' ? call(agent, option, () => value(request) as unknown) : value
  const [instructions, model, declared] = await Promise.all([
    ask('instructions', given.instructions ?? agent.instructions),
    ask('model', given.model ?? agent.model),
    ask('tools', agent.toolsOf),
  ])
  // checked by call() or when the configuration was loaded
  return { instructions, model, declared } as Options
}

async function call(agent: Agent, option: PerRequestOption, work: () => unknown): Promise<unknown> {
  const subject = `The function "${option}" of agent "${agent.id}"`
  let value: unknown
  try {
    value = await work()
  } catch (cause) {
    throw new AppError('execution_failed', `${subject} failed`, { cause })
  }
  const [problem] = problemsOf(agent, option, value)
  if (problem === undefined) return value
  throw new AppError('execution_failed', `${subject} returned an invalid value: ${problem}`)
}

function problemsOf({ subAgents, memory }: Agent, option: PerRequestOption, value: unknown): string[] {
  switch (option) {
    case 'instructions':
      return isText(value) ? [] : ['instructions must be a string that is not blank']
    case 'model':
      return modelProblems(value)
    case 'tools':
      return [...problemMessages(toolProblems(value)), ...nameClashes({ tools: value, subAgents, memory })]
  }
}

function withOptions(
  agent: Agent,
  { instructions, model, declared }: Options,
  given: GivenOptions,
): ResolvedAgent {
  const { toolsOf: _, ...rest } = agent
  return {
    ...rest,
    instructions: given.instructions ?? instructions,
    models: modelList(given.model ?? model),
    ...(rest.prepareStep && { prepareStep: withGiven(rest.prepareStep, given) }),
    // those of a connected server are known once it is connected
    get tools() {
      return declared ? declared.flatMap((tool) => (isToolSource(tool) ? tool.tools : [tool])) : agent.tools
    },
    toolSources: declared ? declared.filter((tool) => isToolSource(tool)) : agent.toolSources,
  }
}

/** A `prepareStep` of which nothing is used that was replaced. */
function withGiven(prepareStep: PrepareStep, { instructions, model }: GivenOptions): PrepareStep {
  if (instructions === undefined && model === undefined) return prepareStep
  return async (step) => ({
    ...(await prepareStep(step)),
    ...(model !== undefined && { model: undefined }),
    ...(instructions !== undefined && { instructions, system: undefined }),
  })
}

/** The models of the option `model`. */
export function modelList(model: AgentModels | undefined): readonly AgentModel[] {
  if (model === undefined) return []
  return Array.isArray(model) ? (model as readonly AgentModel[]) : [model as AgentModel]
}
