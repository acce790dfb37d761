import { MAX_EXAMPLE_LENGTH, MAX_EXAMPLES } from '../contract/schema-examples.ts'
import type { FoundProblem } from '../lib/declared-at.ts'
import { AppError } from '../lib/errors.ts'
import { asProblems, problemsOf } from '../lib/found-problem.ts'
import { compileSchema, isSchema } from '../lib/schema/schema.ts'
import { WORKING_MEMORY_TOOL } from './conversation/working-memory-tool.ts'
import { MAX_TIMER_MS } from '../lib/clock.ts'
import { ID_RULE, isId } from '../lib/ids.ts'
import { misspelledOptions } from '../lib/unknown-option.ts'
import { isAgent } from './agent.ts'
import type { AgentConfig } from './agent.ts'
import { budgetsProblems } from './budgets/budget.ts'
import { FORWARD_PARTS } from './answer/live/part-listener.ts'
import { guardrailProblems } from './guardrails/declared-guardrails.ts'
import { isText } from './declaration.ts'
import { generationProblems } from './generation-settings.ts'
import { loopOptionProblems, toolNameProblems } from './loop-options.ts'
import { modelProblems } from './models/model-problems.ts'
import { subAgentToolName } from './sub-agent.ts'
import { isToolSource } from './tools/tool-source.ts'
import { isTool } from './tools/tool.ts'

const OPTIONS = {
  id: true,
  name: true,
  description: true,
  examples: true,
  version: true,
  instructions: true,
  model: true,
  tools: true,
  subAgents: true,
  forwardParts: true,
  retriever: true,
  memory: true,
  maxSteps: true,
  timeoutMs: true,
  resumable: true,
  budgets: true,
  hooks: true,
  guardrails: true,
  toolChoice: true,
  activeTools: true,
  stopWhen: true,
  prepareStep: true,
  temperature: true,
  maxOutputTokens: true,
  topP: true,
  topK: true,
  presencePenalty: true,
  frequencyPenalty: true,
  seed: true,
  stopSequences: true,
  providerOptions: true,
} satisfies Record<keyof AgentConfig, true>

/** The problems of an agent's declaration, with messages that follow "agent <id>: ". */
export function agentProblems(config: AgentConfig): FoundProblem[] {
  const { tools, subAgents } = config
  return [
    ...asProblems(optionProblems(config)),
    ...(tools === undefined || typeof tools === 'function' ? [] : toolProblems(tools)),
    ...subAgentProblems(subAgents),
    ...asProblems(combinedProblems(config)),
  ]
}

/** The problems of single options. */
function optionProblems(config: AgentConfig): string[] {
  const {
    id,
    name,
    examples,
    version,
    instructions,
    maxSteps,
    timeoutMs,
    resumable,
    forwardParts,
    retriever,
  } = config
  const rules: readonly (readonly [boolean, string])[] = [
    [typeof id === 'string' && isId(id), `the id must be ${ID_RULE}`],
    [isText(name), 'a name is required'],
    [version === undefined || isText(version), 'the version must be a string'],
    [
      examples === undefined ||
        (Array.isArray(examples) &&
          examples.length <= MAX_EXAMPLES &&
          examples.every((one) => isText(one) && one.length <= MAX_EXAMPLE_LENGTH)),
      `examples must be a list of at most ${MAX_EXAMPLES} messages of at most ${MAX_EXAMPLE_LENGTH} characters`,
    ],
    [typeof instructions === 'function' || isText(instructions), 'instructions are required'],
    [
      maxSteps === undefined || (Number.isInteger(maxSteps) && maxSteps > 0),
      'maxSteps must be a whole number of 1 or more',
    ],
    [
      timeoutMs === undefined || (Number.isInteger(timeoutMs) && timeoutMs > 0 && timeoutMs <= MAX_TIMER_MS),
      `timeoutMs must be a whole number of milliseconds from 1 to ${MAX_TIMER_MS}`,
    ],
    [retriever === undefined || typeof retriever === 'function', 'retriever must be a function'],
    [resumable === undefined || typeof resumable === 'boolean', 'resumable must be true or false'],
    [
      forwardParts === undefined || FORWARD_PARTS.includes(forwardParts),
      `forwardParts must be ${FORWARD_PARTS.map((one) => `'${one}'`).join(', ')}`,
    ],
  ]
  return [
    ...misspelledOptions(config, OPTIONS),
    ...rules.filter(([kept]) => !kept).map(([, rule]) => rule),
    ...(config.model === undefined || typeof config.model === 'function' ? [] : modelProblems(config.model)),
    ...memoryProblems(config.memory),
    ...loopOptionProblems(config),
    ...generationProblems(config),
    ...hookProblems(config.hooks),
    ...guardrailProblems(config.guardrails),
    ...budgetsProblems(config.budgets),
  ]
}

/** The problems of options that do not fit each other. */
function combinedProblems(config: AgentConfig): string[] {
  return [...nameClashes(config), ...unknownToolProblems(config)]
}

function memoryProblems(memory: unknown): string[] {
  if (memory === undefined || typeof memory === 'boolean') return []
  if (typeof memory !== 'object' || memory === null) return ['memory must be true, false or an object']
  const { lastMessages, contextLimit, summary, workingMemory } = memory as Readonly<Record<string, unknown>>
  const isCount = (value: unknown) => value === undefined || (Number.isInteger(value) && Number(value) >= 0)
  const rules: readonly (readonly [boolean, string])[] = [
    [isCount(lastMessages), 'memory.lastMessages must be a whole number of 0 or more'],
    [isCount(contextLimit), 'memory.contextLimit must be a whole number of 0 or more'],
    [
      lastMessages === undefined || contextLimit === undefined,
      'memory.contextLimit is the earlier name of memory.lastMessages: set only lastMessages',
    ],
    [summary === undefined || typeof summary === 'boolean', 'memory.summary must be true or false'],
    [
      workingMemory === undefined || isObjectSchema(workingMemory),
      'memory.workingMemory must be the schema of an object',
    ],
  ]
  return rules.filter(([kept]) => !kept).map(([, rule]) => rule)
}

function isObjectSchema(value: unknown): boolean {
  if (!isSchema(value)) return false
  try {
    return compileSchema(value).input['type'] === 'object'
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

/** The problems of the option `tools`. */
export function toolProblems(tools: unknown): FoundProblem[] {
  if (!Array.isArray(tools)) return asProblems(['tools must be an array'])
  return tools.flatMap((tool: unknown, index) => {
    if (isToolSource(tool)) return problemsOf(tool, `MCP server ${tool.id || index}: `)
    if (isTool(tool)) return problemsOf(tool, `tool ${tool.name || index}: `)
    return asProblems([`tools[${index}] must be made by createTool() or connectMcpServer()`])
  })
}

function subAgentProblems(subAgents: unknown): FoundProblem[] {
  if (subAgents === undefined) return []
  if (!Array.isArray(subAgents)) return asProblems(['subAgents must be an array'])
  return subAgents.flatMap((agent: unknown, index) =>
    isAgent(agent)
      ? problemsOf(agent, `sub-agent ${agent.id || index}: `)
      : asProblems([`subAgents[${index}] must be made by createAgent()`]),
  )
}

interface ToolOptions {
  readonly tools?: unknown
  readonly subAgents?: unknown
  readonly memory?: unknown
}

/** The names of an agent's tools, as far as they are known. Sub-agents and the working memory are tools, too. */
export function toolNames({ tools, subAgents, memory }: ToolOptions): string[] {
  const remembers = typeof memory === 'object' && memory !== null && 'workingMemory' in memory
  return [
    ...(Array.isArray(tools) ? tools.filter(isTool).map((tool) => tool.name) : []),
    ...(Array.isArray(subAgents) ? subAgents.filter(isAgent).map((agent) => subAgentToolName(agent)) : []),
    ...(remembers ? [WORKING_MEMORY_TOOL] : []),
  ]
}

/** Names of tools that an agent can't have. Those of connected servers and of functions are not known before a request. */
function unknownToolProblems(config: AgentConfig): string[] {
  const { tools = [] } = config
  const areKnown = Array.isArray(tools) && !tools.some(isToolSource)
  return areKnown && loopOptionProblems(config).length === 0
    ? toolNameProblems(config, toolNames(config))
    : []
}

/** Tools and sub-agents share one namespace: the tool names of the model call. */
export function nameClashes(options: ToolOptions): string[] {
  const names = toolNames(options)
  const twice = new Set(names.filter((name, index) => names.indexOf(name) !== index))
  return [...twice].map((name) => `two tools are named "${name}"`)
}

function hookProblems(hooks: unknown): string[] {
  if (hooks === undefined) return []
  if (typeof hooks !== 'object' || hooks === null) return ['hooks must be an object of functions']
  return Object.entries(hooks)
    .filter(([, hook]) => hook !== undefined && typeof hook !== 'function')
    .map(([name]) => `hooks.${name} must be a function`)
}
