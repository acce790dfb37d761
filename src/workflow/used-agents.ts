import type { Agent } from '../agent/agent.ts'
import { withSubAgents } from '../agent/tools/registered-tools.ts'
import { callsOf } from './calls.ts'
import { withChildren } from './with-children.ts'
import type { WorkflowDefinition } from './definition.ts'

/** All agents of a configuration without duplicates: declared ones, those of steps, and sub-agents. */
export function usedAgents({
  agents,
  workflows,
}: {
  readonly agents: readonly Agent[]
  readonly workflows: readonly WorkflowDefinition[]
}): Agent[] {
  return withSubAgents([...agents, ...agentsOfSteps(workflows)])
}

/** The agents that steps and functions call, also those of child workflows. */
export function agentsOfSteps(workflows: readonly WorkflowDefinition[]): Agent[] {
  return withChildren(workflows).flatMap((workflow) => callsOf(workflow).agents)
}
