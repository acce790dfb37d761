import { hasCompletions } from './served-prompt.ts'
import type { ServedMcpServer } from './served-server.ts'
import { usesMember } from '../../lib/uses-member.ts'
import { servedTools } from './served-tools.ts'
import { hasResumeSchema } from './workflow-tools.ts'

const LIST = { listChanged: true }

/** The capabilities that a served MCP server declares. */
export function servedCapabilities(server: ServedMcpServer): Record<string, object> {
  return {
    tools: LIST,
    ...(server.resources.length > 0 && { resources: { ...LIST, subscribe: true } }),
    ...(server.prompts.length > 0 && { prompts: LIST }),
    ...(hasCompletions(server.prompts) && { completions: {} }),
    ...(server.logging && { logging: {} }),
  }
}

/** Whether calls of a server's tools can be tasks. */
export function hasTasks(server: ServedMcpServer): boolean {
  return servedTools(server).some(({ startTask }) => startTask)
}

/**
 * Whether a server sends requests to its clients: from tools that use `elicit` or `sample`, and for the resume data of
 * workflows. A client on revision 2025-xx needs its session for them, so one with an unknown session must start a new one.
 * Other servers also serve it without.
 */
export function usesSessions({ tools, workflows }: ServedMcpServer): boolean {
  return (
    // oxlint-disable-next-line typescript/unbound-method -- only its source is read
    tools.some(({ execute }) => execute !== undefined && usesMember(execute, 1, ['elicit', 'sample'])) ||
    workflows.some((workflow) => hasResumeSchema(workflow))
  )
}
