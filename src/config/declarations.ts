import type { Agent } from '../agent/agent.ts'
import type { Tool } from '../agent/tool.ts'
import { placedSteps, workflowProblems } from '../workflow/rules.ts'
import type { WorkflowDefinition } from '../workflow/workflow.ts'

/** The workflows of a configuration and all that they run in turn, each once. */
export function declaredWorkflows(workflows: readonly WorkflowDefinition[]): WorkflowDefinition[] {
  const found = new Set<WorkflowDefinition>()
  const add = (workflow: WorkflowDefinition) => {
    if (found.has(workflow)) return
    found.add(workflow)
    for (const { step } of placedSteps(workflow)) if (isWorkflow(step.workflow)) add(step.workflow)
  }
  for (const workflow of workflows) add(workflow)
  return [...found]
}

/** Every rule that the declared workflows break. */
export function workflowsProblems(workflows: unknown): string[] {
  if (!Array.isArray(workflows)) return ['workflows: must be an array']
  const strangers = workflows.flatMap((workflow, index) =>
    isWorkflow(workflow) ? [] : [`workflows[${index}]: must be made by createWorkflow()`],
  )
  if (strangers.length > 0) return strangers
  const all = declaredWorkflows(workflows)
  return [
    ...duplicateIds('workflow', all),
    ...all.flatMap((workflow) =>
      workflowProblems(workflow).map((problem) => `workflow "${String(workflow.id)}": ${problem}`),
    ),
  ]
}

/** Every rule that the declared agents and tools break. */
export function agentProblems(agents: readonly Agent[], tools: readonly Tool[]): string[] {
  return [
    ...madeProblems('agents', agents, 'createAgent()'),
    ...madeProblems('tools', tools, 'createTool()'),
    ...(Array.isArray(agents) ? duplicateIds('agent', agents) : []),
  ]
}

function madeProblems(key: string, values: unknown, maker: string): string[] {
  if (!Array.isArray(values)) return [`${key}: must be an array`]
  return values.flatMap((value: unknown, index) => {
    const problems = (value as Partial<Agent> | null)?.problems
    if (!Array.isArray(problems)) return [`${key}[${index}]: must be made by ${maker}`]
    const { id, name } = value as { id?: string; name?: string }
    return problems.map((problem) => `${key}[${index}] "${id ?? name ?? ''}": ${problem}`)
  })
}

function isWorkflow(value: unknown): value is WorkflowDefinition {
  // steps have nested steps too, and can be run
  if (typeof value !== 'object' || value === null || 'run' in value) return false
  return Array.isArray((value as WorkflowDefinition).steps)
}

function duplicateIds(kind: string, values: readonly { readonly id: string }[]): string[] {
  const counts = new Map<string, number>()
  for (const { id } of values) counts.set(id, (counts.get(id) ?? 0) + 1)
  return [...counts]
    .filter(([, count]) => count > 1)
    .map(([id, count]) => `${kind} id "${id}" is used ${count} times`)
}
