/** A section of the console, in the order of the navigation; the shortcut is `g` and `key`. */
export interface Area {
  readonly path: string
  readonly name: string
  readonly key: string
}

export const AREAS: readonly Area[] = [
  { path: '', name: 'Overview', key: 'o' },
  { path: 'agents', name: 'Agents', key: 'a' },
  { path: 'workflows', name: 'Workflows', key: 'w' },
  { path: 'executions', name: 'Executions', key: 'e' },
  { path: 'schedules', name: 'Schedules', key: 'd' },
  { path: 'traces', name: 'Traces', key: 't' },
  { path: 'logs', name: 'Logs', key: 'l' },
  { path: 'tools', name: 'Tools', key: 'k' },
  { path: 'mcp', name: 'MCP', key: 'm' },
  { path: 'api', name: 'API', key: 'p' },
  { path: 'machines', name: 'Machines', key: 'h' },
  { path: 'settings', name: 'Settings', key: 's' },
]

/** The section of a path. */
export function areaOf(path: string): Area | undefined {
  const first = path.split('/')[0] ?? ''
  return AREAS.find((area) => area.path === first)
}
