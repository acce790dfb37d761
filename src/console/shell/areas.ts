import {
  Bot,
  Braces,
  CalendarClock,
  CircleDollarSign,
  ClipboardCheck,
  House,
  Inbox,
  Plug,
  ScrollText,
  Server,
  Settings,
  SquarePlay,
  Waypoints,
  Workflow,
  Wrench,
  Zap,
} from 'lucide-react'
import type { LucideIcon } from 'lucide-react'

/** A section of the console; the shortcut is `g` and `key`. */
export interface Area {
  readonly path: string
  readonly name: string
  /** What it is called in addresses and in the API; the search finds it. */
  readonly alias?: string
  readonly key: string
  readonly icon: LucideIcon
}

/** The sections of the navigation. */
export const MAIN_AREAS: readonly Area[] = [
  { path: '', name: 'Home', alias: 'Overview', key: 'o', icon: House },
  { path: 'inbox', name: 'Inbox', key: 'i', icon: Inbox },
  { path: 'executions', name: 'Runs', alias: 'Executions', key: 'e', icon: SquarePlay },
  { path: 'workflows', name: 'Workflows', key: 'w', icon: Workflow },
  { path: 'agents', name: 'Agents', key: 'a', icon: Bot },
  { path: 'tools', name: 'Tools', key: 'k', icon: Wrench },
  { path: 'evals', name: 'Evals', key: 'x', icon: ClipboardCheck },
]

/** The page that is listed only when several machines share the database. */
export const MACHINES = 'machines'

/** The sections below *More*. */
export const MORE_AREAS: readonly Area[] = [
  { path: 'schedules', name: 'Schedules', key: 'd', icon: CalendarClock },
  { path: 'events', name: 'Events', key: 'v', icon: Zap },
  { path: 'costs', name: 'Costs', key: 'c', icon: CircleDollarSign },
  { path: 'logs', name: 'Logs', key: 'l', icon: ScrollText },
  { path: 'traces', name: 'Requests', alias: 'Traces', key: 't', icon: Waypoints },
  { path: 'mcp', name: 'MCP', key: 'm', icon: Plug },
  { path: MACHINES, name: 'Machines', key: 'h', icon: Server },
  { path: 'settings', name: 'Settings', key: 's', icon: Settings },
  { path: 'api', name: 'API', key: 'p', icon: Braces },
]

export const AREAS: readonly Area[] = [...MAIN_AREAS, ...MORE_AREAS]

/** The section of a path. */
export function areaOf(path: string): Area | undefined {
  const first = path.split('/')[0] ?? ''
  return AREAS.find((area) => area.path === first)
}
