const LONGEST = 64

/** A name that every model provider takes: ids and the names of other servers' tools may hold more. */
function toolName(prefix: string, name: string): string {
  return `${prefix}_${name.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`.slice(0, LONGEST)
}

/** The name under which MCP clients see a workflow. */
export function workflowToolName(id: string): string {
  return toolName('run', id)
}

/** The name under which a connected server's tool is used here. */
export function connectedToolName(serverId: string, name: string): string {
  return toolName(serverId, name)
}
