const MAX_LENGTH = 64

/** Replaces the characters that model providers do not accept in tool names; ids and external names may have them. */
function toolName(prefix: string, name: string): string {
  return `${prefix}_${name.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`.slice(0, MAX_LENGTH)
}

/** The tool name of a served workflow. */
export function workflowToolName(id: string): string {
  return toolName('run', id)
}

/** The name of the tool that resumes executions of a served workflow. */
export function resumeToolName(id: string): string {
  return toolName('resume', id)
}

/** The name of a connected server's tool in this project. */
export function connectedToolName(serverId: string, name: string): string {
  return toolName(serverId, name)
}
