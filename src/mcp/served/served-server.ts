import { requireObject } from '../../lib/require-object.ts'
import { isAgent } from '../../agent/agent.ts'
import type { Agent } from '../../agent/agent.ts'
import { frozenList, isText } from '../../agent/declaration.ts'
import { subAgentToolName } from '../../agent/sub-agent.ts'
import { isTool } from '../../agent/tools/tool.ts'
import type { Tool } from '../../agent/tools/tool.ts'
import { ID_RULE, isId } from '../../lib/ids.ts'
import type { WorkflowDefinition } from '../../workflow/definition.ts'
import { isWorkflow } from '../../workflow/rules.ts'
import { promptProblems } from './served-prompt.ts'
import type { McpPrompt } from './served-prompt.ts'
import { resourceProblems } from './served-resource.ts'
import type { McpResource } from './served-resource.ts'
import { workflowToolNames } from './workflow-tools.ts'

/** Options of {@link createMcpServer}. */
export interface McpServerConfig {
  /** Unique among the MCP servers; part of the URL, `/mcp/<id>`. */
  readonly id: string
  /** Name for clients. */
  readonly name: string
  /** Default: `1.0.0`. */
  readonly version?: string
  /** A description that clients show to their models. */
  readonly description?: string
  /** Tools that it serves. */
  readonly tools?: readonly Tool[]
  /** Each is served as a tool named `ask_<id>`, and is also added to the configured agents. */
  readonly agents?: readonly Agent[]
  /**
   * Each is served as a tool named `run_<id>`, and as `resume_<id>` if it may suspend, and is also added to the configured
   * workflows.
   */
  readonly workflows?: readonly WorkflowDefinition[]
  /** Resources that clients can read and subscribe to. */
  readonly resources?: readonly McpResource[]
  /** Prompt templates for the users of clients. */
  readonly prompts?: readonly McpPrompt[]
  /** Whether clients may receive the log records of the tools they call. Default: `false`. */
  readonly logging?: boolean
}

/** An MCP server hosted by this process. Created by {@link createMcpServer}. */
export interface ServedMcpServer extends Required<Omit<McpServerConfig, 'description'>> {
  readonly kind: 'served'
  /** Description for clients. */
  readonly description: string | undefined
  /** Problems of the declaration, reported when the configuration is loaded. */
  readonly problems: readonly string[]
}

/**
 * Declares an MCP server that exposes tools, agents, workflows, resources and prompts of the project. It is served
 * at `/mcp/<id>` (Streamable HTTP) when it is listed in `mcpServers`. Problems of the declaration are reported when
 * the configuration is loaded.
 *
 * @example
 * const shop = createMcpServer({ id: 'shop', name: 'Shop', tools: [findOrder], agents: [clerk] })
 * export default defineConfig({ mcpServers: [shop] })
 */
export function createMcpServer(config: McpServerConfig): ServedMcpServer {
  requireObject('createMcpServer', 'config', config)
  const { id, name, version = '1.0.0', description } = config
  const { tools = [], agents = [], workflows = [], resources = [], prompts = [], logging = false } = config
  return Object.freeze({
    kind: 'served',
    id,
    name,
    version,
    description,
    tools: frozenList(tools),
    agents: frozenList(agents),
    workflows: frozenList(workflows),
    resources: frozenList(resources),
    prompts: frozenList(prompts),
    logging,
    problems: Object.freeze(
      problemsOf({ id, name, version, tools, agents, workflows, resources, prompts, logging }),
    ),
  })
}

/** Whether `value` was created by {@link createMcpServer} of this or another copy of the package. */
export function isServedMcpServer(value: { readonly kind: string }): value is ServedMcpServer {
  return value.kind === 'served' && 'version' in value
}

/** The routes `/mcp/servers`, which lists the servers, and `/mcp/dev`, the tools for coding agents. */
const RESERVED_IDS = new Set<unknown>(['servers', 'dev'])

function problemsOf({ id, name, version, ...parts }: Omit<McpServerConfig, 'description'>): string[] {
  return [
    ...(typeof id === 'string' && isId(id) ? [] : [`the id must be ${ID_RULE}`]),
    ...(RESERVED_IDS.has(id) ? [`the id "${id}" is reserved for a route`] : []),
    ...(isText(name) ? [] : ['a name is required']),
    ...(isText(version) ? [] : ['the version must be a string']),
    ...(typeof parts.logging === 'boolean' ? [] : ['logging must be true or false']),
    ...partProblems('tools', 'createTool()', parts.tools, isTool),
    ...partProblems('agents', 'createAgent()', parts.agents, isAgent),
    ...partProblems('workflows', 'createWorkflow()', parts.workflows, isWorkflow),
    ...nameClashes(parts),
    ...closedParts(parts),
    ...plainProblems('resources', parts.resources, resourceProblems),
    ...plainProblems('prompts', parts.prompts, promptProblems),
    ...twice('resources have the URI', namesOf(parts.resources, 'uri')),
    ...twice('prompts are named', namesOf(parts.prompts, 'name')),
  ]
}

function partProblems(
  key: string,
  maker: string,
  values: unknown,
  fits: (value: unknown) => boolean,
): string[] {
  if (!Array.isArray(values)) return [`${key} must be an array`]
  return values.flatMap((value: { problems?: readonly string[] }, index) => {
    if (!fits(value)) return [`${key}[${index}] must be made by ${maker}`]
    return (value.problems ?? []).map((problem) => `${key}[${index}]: ${problem}`)
  })
}

function nameClashes({ tools, agents, workflows }: Omit<McpServerConfig, 'id' | 'name'>): string[] {
  const names = [
    ...(Array.isArray(tools) ? tools.filter(isTool).map((tool) => tool.name) : []),
    ...(Array.isArray(agents) ? agents.filter(isAgent).map((agent) => subAgentToolName(agent)) : []),
    ...(Array.isArray(workflows)
      ? workflows.filter(isWorkflow).flatMap((workflow) => workflowToolNames(workflow))
      : []),
  ]
  return twice('tools are named', names)
}

/** Clients would see tools that they can never call. */
function closedParts({ tools, workflows }: Omit<McpServerConfig, 'id' | 'name'>): string[] {
  const closedTools = Array.isArray(tools) ? tools.filter(isTool) : []
  const closedWorkflows = Array.isArray(workflows) ? workflows.filter(isWorkflow) : []
  return [
    ...closedTools.flatMap(({ name, access }) =>
      access?.callable === false ? [`tools: "${name}" has callable: false, so clients can't call it`] : [],
    ),
    ...closedWorkflows.flatMap(({ id, startedBy }) =>
      startedBy === 'code' ? [`workflows: "${id}" has startedBy: 'code', so clients can't start it`] : [],
    ),
  ]
}

function plainProblems(key: string, values: unknown, rules: (value: unknown) => string[]): string[] {
  if (!Array.isArray(values)) return [`${key} must be an array`]
  return values.flatMap((value, index) => rules(value).map((problem) => `${key}[${index}]: ${problem}`))
}

function namesOf(values: unknown, key: string): unknown[] {
  if (!Array.isArray(values)) return []
  return values.map((value: Record<string, unknown> | null | undefined) => value?.[key])
}

function twice(what: string, names: readonly unknown[]): string[] {
  const found = new Set(
    names.filter((name, index) => typeof name === 'string' && names.indexOf(name) !== index),
  )
  return [...found].map((name) => `two ${what} "${String(name)}"`)
}
