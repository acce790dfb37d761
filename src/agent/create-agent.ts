import { currentServer } from '../calls/current-server.ts'
import { StreamedAnswer } from '../calls/streamed-answer.ts'
import { declaredHere } from '../lib/declared-at.ts'
import { problemMessages } from '../lib/found-problem.ts'
import { requireObject } from '../lib/require-object.ts'
import type { Agent, AgentConfig } from './agent.ts'
import { agentProblems } from './agent-problems.ts'
import { declaredGuardrails } from './guardrails/declared-guardrails.ts'
import { generationSettings } from './generation-settings.ts'
import { frozenList } from './declaration.ts'
import { PER_REQUEST_OPTIONS } from './per-request.ts'
import { isToolSource } from './tools/tool-source.ts'

/** Tool loops that need more are usually stuck, and each step costs money. */
const DEFAULT_MAX_STEPS = 8
/** Long reasoning fits; a provider that hangs does not hold a request for ever. */
const DEFAULT_TIMEOUT_MS = 300_000

/**
 * Declares an agent. List it in the option `agents`, or use it in a workflow step (`andAgent`) or as a sub-agent.
 * Problems of the declaration are not thrown, but reported when the configuration is loaded.
 *
 * @example
 * const clerk = createAgent({
 *   id: 'clerk',
 *   name: 'Clerk',
 *   instructions: 'Answer questions about orders. Be brief.',
 *   model: 'openai/gpt-4.1-mini',
 *   temperature: 0.2,
 *   tools: [findOrder],
 * })
 */
export function createAgent<const Id extends string>(
  config: AgentConfig & {
    /** Unique in the project; part of the URL. */
    readonly id: Id
  },
): Agent & {
  /** Unique in the project; part of the URL. */
  readonly id: Id
} {
  requireObject('createAgent', 'config', config)
  const { id, name, description, version, instructions, model, memory, resumable } = config
  const { budgets, examples, forwardParts, retriever } = config
  const { tools = [], subAgents = [], hooks = {} } = config
  const { toolChoice, activeTools, stopWhen, prepareStep } = config
  const { maxSteps = DEFAULT_MAX_STEPS, timeoutMs = DEFAULT_TIMEOUT_MS } = config
  const generate = async (input: unknown, given: unknown = {}) =>
    currentServer('agent.generate()').generate(id, input, given)
  const stream = (input: unknown, given: unknown = {}) =>
    new StreamedAnswer(async (left) => currentServer('agent.stream()').stream(id, input, given, left))
  const declared = frozenList(typeof tools === 'function' ? [] : tools)
  const problems = agentProblems(config)
  const agent = {
    id,
    name,
    instructions,
    ...(description === undefined ? {} : { description }),
    ...(version === undefined ? {} : { version }),
    ...(examples === undefined ? {} : { examples: frozenList(examples) }),
    ...(model === undefined ? {} : { model: Array.isArray(model) ? frozenList(model) : model }),
    ...(retriever === undefined ? {} : { retriever }),
    ...(memory === undefined ? {} : { memory }),
    ...(resumable === undefined ? {} : { resumable }),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(activeTools === undefined ? {} : { activeTools: frozenList(activeTools) }),
    ...(stopWhen === undefined
      ? {}
      : { stopWhen: Array.isArray(stopWhen) ? frozenList(stopWhen) : stopWhen }),
    ...(prepareStep === undefined ? {} : { prepareStep }),
    ...(budgets === undefined ? {} : { budgets: Array.isArray(budgets) ? frozenList(budgets) : budgets }),
    ...(forwardParts === undefined ? {} : { forwardParts }),
    get tools() {
      return Object.freeze(declared.flatMap((tool) => (isToolSource(tool) ? tool.tools : [tool])))
    },
    ...(typeof tools === 'function' ? { toolsOf: tools } : {}),
    toolSources: Object.freeze(declared.filter((tool) => isToolSource(tool))),
    subAgents: frozenList(subAgents),
    maxSteps,
    timeoutMs,
    settings: generationSettings(config),
    guardrails: declaredGuardrails(config.guardrails),
    hooks: Object.freeze({ ...hooks }),
    perRequest: Object.freeze(PER_REQUEST_OPTIONS.filter((name) => typeof config[name] === 'function')),
    problems: Object.freeze(problemMessages(problems)),
    generate: generate as Agent['generate'],
    stream: stream as Agent['stream'],
  }
  return Object.freeze(declaredHere(agent, createAgent, problems))
}
