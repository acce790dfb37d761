import type { Agent } from '../../agent/agent.ts'
import type { Tool } from '../../agent/tools/tool.ts'
import { faultyStep, workflowProblems } from '../../workflow/rules.ts'
import { isWorkflow } from '../../workflow/rules.ts'
import { withChildren } from '../../workflow/with-children.ts'
import type { WorkflowDefinition } from '../../workflow/definition.ts'

/** The problems of the declared workflows and of `others`, which MCP servers serve. */
export function workflowsProblems(workflows: unknown, others: readonly WorkflowDefinition[] = []): string[] {
  if (!Array.isArray(workflows)) return ['workflows: must be an array']
  const unknownWorkflows = workflows.flatMap((workflow, index) =>
    isWorkflow(workflow) ? [] : [`workflows[${index}]: must be made by createWorkflow()`],
  )
  if (unknownWorkflows.length > 0) return unknownWorkflows
  const all = withChildren([...workflows, ...others.filter(isWorkflow)])
  return [
    ...duplicates('workflow id', all),
    ...all.flatMap((workflow) =>
      workflowProblems(workflow).map((problem) => `workflow "${String(workflow.id)}": ${problem}`),
    ),
  ]
}

/** The place of the first step that has a problem. */
export function faultyDeclaration(
  workflows: unknown,
  others: readonly WorkflowDefinition[],
): Error | undefined {
  if (!Array.isArray(workflows) || !workflows.every(isWorkflow)) return undefined
  for (const workflow of withChildren([...workflows, ...others.filter(isWorkflow)])) {
    const step = faultyStep(workflow)
    if (step) return step.declaredAt
  }
  return undefined
}

/** The problems of the declared agents. `others`, which MCP servers serve, share their ids. */
export function agentsProblems(agents: readonly Agent[], others: readonly Agent[] = []): string[] {
  return (
    unknownItems('agents', agents, 'createAgent()') ?? [
      ...itemProblems('agents', agents, ({ id }) => id),
      ...duplicates('agent id', [...agents, ...new Set(others.filter((other) => isNew(other, agents)))]),
    ]
  )
}

function isNew(other: unknown, agents: readonly unknown[]): boolean {
  return typeof other === 'object' && other !== null && !agents.includes(other)
}

/** The problems of the declared tools. */
export function toolsProblems(tools: readonly Tool[]): string[] {
  return (
    unknownItems('tools', tools, 'createTool()') ?? [
      ...itemProblems('tools', tools, ({ name }) => name),
      ...duplicates(
        'tool name',
        tools.map(({ name }) => ({ id: name })),
      ),
    ]
  )
}

/** Problems for items that were not created by `maker`. Undefined if there are none. */
export function unknownItems(key: string, values: unknown, maker: string): string[] | undefined {
  if (!Array.isArray(values)) return [`${key}: must be an array`]
  const found = values.flatMap((value: { problems?: unknown } | null | undefined, index) =>
    Array.isArray(value?.problems) ? [] : [`${key}[${index}]: must be made by ${maker}`],
  )
  return found.length > 0 ? found : undefined
}

/** The problems that items found in their own options. */
export function itemProblems<Value extends { readonly problems: readonly string[] }>(
  key: string,
  values: readonly Value[],
  nameOf: (value: Value) => string,
): string[] {
  return values.flatMap((value, index) =>
    value.problems.map((problem) => `${key}[${index}] "${nameOf(value)}": ${problem}`),
  )
}

/** A problem for each id that several items share. */
export function duplicates(kind: string, values: readonly { readonly id: string }[]): string[] {
  const counts = new Map<string, number>()
  for (const { id } of values) counts.set(id, (counts.get(id) ?? 0) + 1)
  return [...counts]
    .filter(([, count]) => count > 1)
    .map(([id, count]) => `${kind} "${id}" is used ${count} times`)
}
