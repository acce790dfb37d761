import { hasCompletions } from './served-prompt.ts'
import type { ServedMcpServer } from './served-server.ts'

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
