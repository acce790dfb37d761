import type { Agent } from './agent.ts'

/** Whether `value` was made by `createAgent()`, of this or another copy of the package. */
export function isAgent(value: unknown): value is Agent {
  return typeof value === 'object' && value !== null && 'instructions' in value && 'problems' in value
}
