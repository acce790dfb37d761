import { isAgent } from '../../agent/agent.ts'
import type { Agent } from '../../agent/agent.ts'
import { isTool } from '../../agent/tools/tool.ts'
import type { Tool } from '../../agent/tools/tool.ts'
import { declarationOf } from '../../lib/declared-at.ts'
import type { FoundProblem } from '../../lib/declared-at.ts'
import { asProblems, problemsOf } from '../../lib/found-problem.ts'
import { groupBy } from '../../lib/group-by.ts'
import { isWorkflow, workflowProblems } from '../../workflow/rules.ts'
import { isSchedule } from '../../workflow/schedule/create-schedule.ts'
import { withChildren } from '../../workflow/with-children.ts'
import type { WorkflowDefinition } from '../../workflow/definition.ts'

/** The problems of the declared workflows and of `others`, which MCP servers serve. */
export function workflowsProblems(
  workflows: readonly WorkflowDefinition[],
  others: readonly WorkflowDefinition[] = [],
): FoundProblem[] {
  const unknownWorkflows = unknownItems('workflows', workflows)
  if (unknownWorkflows) return unknownWorkflows
  const all = withChildren([...workflows, ...others.filter(isWorkflow)])
  return [
    ...duplicates('workflow id', all, ({ id }) => id),
    ...all.flatMap((workflow) =>
      workflowProblems(workflow).map(({ message, declaration }) => ({
        message: `workflow "${String(workflow.id)}": ${message}`,
        declaration,
      })),
    ),
  ]
}

/** The problems of the declared agents. `others`, which MCP servers serve, share their ids. */
export function agentsProblems(agents: readonly Agent[], others: readonly Agent[] = []): FoundProblem[] {
  return (
    unknownItems('agents', agents) ?? [
      ...itemProblems('agents', agents, ({ id }) => id),
      ...duplicates(
        'agent id',
        [...agents, ...new Set(others.filter((other) => isNew(other, agents)))],
        ({ id }) => id,
      ),
    ]
  )
}

function isNew(other: unknown, agents: readonly unknown[]): boolean {
  return typeof other === 'object' && other !== null && !agents.includes(other)
}

/** The problems of the declared tools. */
export function toolsProblems(tools: readonly Tool[]): FoundProblem[] {
  return (
    unknownItems('tools', tools) ?? [
      ...itemProblems('tools', tools, ({ name }) => name),
      ...duplicates('tool name', tools, ({ name }) => name),
    ]
  )
}

/** The lists of a configuration. */
const LISTS = {
  workflows: { kind: 'a workflow', maker: 'createWorkflow()', fits: isWorkflow },
  agents: { kind: 'an agent', maker: 'createAgent()', fits: isAgent },
  tools: { kind: 'a tool', maker: 'createTool()', fits: isTool },
  schedules: { kind: 'a schedule', maker: 'createSchedule()', fits: isSchedule },
  mcpServers: {
    kind: 'an MCP server',
    maker: 'createMcpServer() or connectMcpServer()',
    fits: isMcpServer,
  },
} as const

function isMcpServer(value: unknown): boolean {
  const kind = (value as { readonly kind?: unknown } | null | undefined)?.kind
  return kind === 'served' || kind === 'connected'
}

/** Problems of items that belong in another list, or in none. Undefined if there are none. */
export function unknownItems(key: keyof typeof LISTS, values: unknown): FoundProblem[] | undefined {
  if (!Array.isArray(values)) return asProblems([`${key}: must be an array`])
  const { fits, maker } = LISTS[key]
  const found = values.flatMap((value: unknown, index) => {
    if (fits(value)) return []
    const other = Object.entries(LISTS).find(([, list]) => list.fits(value))
    const fix = other ? `. It is ${other[1].kind}, which belongs in ${other[0]}` : ''
    return [`${key}[${index}]: must be made by ${maker}${fix}`]
  })
  return found.length > 0 ? asProblems(found) : undefined
}

/** The problems that items found in their own options. */
export function itemProblems<Value extends object>(
  key: string,
  values: readonly Value[],
  nameOf: (value: Value) => string,
): FoundProblem[] {
  return values.flatMap((value, index) => problemsOf(value, `${key}[${index}] "${nameOf(value)}": `))
}

/** A problem for each id that several items share, where the second of them is declared. */
export function duplicates<Value extends object>(
  kind: string,
  values: readonly Value[],
  idOf: (value: Value) => string,
): FoundProblem[] {
  return [...groupBy(values, idOf)].flatMap(([id, [, second, ...others]]) =>
    second === undefined
      ? []
      : [
          {
            message: `${kind} "${id}" is used ${others.length + 2} times`,
            declaration: declarationOf(second),
          },
        ],
  )
}
