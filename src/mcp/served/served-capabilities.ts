import { completes } from './register-prompts.ts'
import type { ServedMcpServer } from './served-server.ts'

const LIST = { listChanged: true }

/** What a served MCP server says it can do. */
export function servedCapabilities(server: ServedMcpServer): Record<string, object> {
  return {
    tools: LIST,
    ...(server.resources.length > 0 && { resources: { ...LIST, subscribe: true } }),
    ...(server.prompts.length > 0 && { prompts: LIST }),
    ...(completes(server) && { completions: {} }),
    ...(server.logging && { logging: {} }),
  }
}
