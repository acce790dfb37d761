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
  readonly key: string
  readonly icon: LucideIcon
}

/** The sections in the order of the navigation: what the project declares, what runs, what is recorded, the server. */
export const AREA_GROUPS: readonly (readonly Area[])[] = [
  [
    { path: '', name: 'Overview', key: 'o', icon: House },
    { path: 'inbox', name: 'Inbox', key: 'i', icon: Inbox },
  ],
  [
    { path: 'agents', name: 'Agents', key: 'a', icon: Bot },
    { path: 'workflows', name: 'Workflows', key: 'w', icon: Workflow },
    { path: 'tools', name: 'Tools', key: 'k', icon: Wrench },
    { path: 'mcp', name: 'MCP', key: 'm', icon: Plug },
  ],
  [
    { path: 'executions', name: 'Executions', key: 'e', icon: SquarePlay },
    { path: 'events', name: 'Events', key: 'v', icon: Zap },
    { path: 'schedules', name: 'Schedules', key: 'd', icon: CalendarClock },
  ],
  [
    { path: 'traces', name: 'Traces', key: 't', icon: Waypoints },
    { path: 'logs', name: 'Logs', key: 'l', icon: ScrollText },
    { path: 'costs', name: 'Costs', key: 'c', icon: CircleDollarSign },
    { path: 'evals', name: 'Evals', key: 'x', icon: ClipboardCheck },
  ],
  [
    { path: 'api', name: 'API', key: 'p', icon: Braces },
    { path: 'machines', name: 'Machines', key: 'h', icon: Server },
    { path: 'settings', name: 'Settings', key: 's', icon: Settings },
  ],
]

export const AREAS: readonly Area[] = AREA_GROUPS.flat()

/** The section of a path. */
export function areaOf(path: string): Area | undefined {
  const first = path.split('/')[0] ?? ''
  return AREAS.find((area) => area.path === first)
}
