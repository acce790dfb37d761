import type { Services } from '../../services/services.ts'
import { oneLine } from '../../ui/escape-text.ts'
import { hasWords } from '../found.ts'
import type { Found, FoundGroup, SearchSource } from '../found.ts'
import { agentLinks, executionLinks, linksTo, workflowLinks } from './links.ts'
import type { Links } from './links.ts'

const MAX_RECENT = 6
const MAX_TITLE_CHARS = 120

/** What the pages below each path show. */
const KINDS: Readonly<Record<string, string | undefined>> = {
  agents: 'Agent',
  workflows: 'Workflow',
  tools: 'Tool',
  mcp: 'MCP server',
  executions: 'Run',
  traces: 'Request',
}

const LINKS: Readonly<Record<string, ((services: Services, id: string) => Links) | undefined>> = {
  agents: agentLinks,
  workflows: workflowLinks,
  executions: executionLinks,
}

/** The pages that were opened last. The shown page is none of them. */
export function recentPages(services: Services): SearchSource {
  const { recent, router } = services
  return ({ text }) => {
    const shown = router.location()?.path
    const items = recent
      .items()
      .filter(({ path }) => path !== shown)
      .map(({ path, title }): Found => {
        const [area = '', id = ''] = path.split('/')
        return {
          name: oneLine(title, MAX_TITLE_CHARS),
          note: noteOf(KINDS[area] ?? 'Page', idIn(id), title),
          ...(LINKS[area]?.(services, idIn(id)) ?? linksTo(services, path)),
        }
      })
      .filter(({ name, note = '' }) => hasWords(text, name, note))
    return [{ name: 'Recent', items: items.slice(0, MAX_RECENT) }]
  }
}

/** The commands of the screen, the pages of the console, and the other commands. */
export function commandResults({ commands }: Services): SearchSource {
  return ({ text }) => {
    const found = commands.list().filter(({ name, alias = '' }) => hasWords(text, name, alias))
    return (['This page', 'Pages', 'Actions'] as const).map((group): FoundGroup => ({
      name: group,
      items: found
        .filter((command) => command.group === group)
        .map(({ name, run }) => ({ key: `${group}: ${name}`, name, run })),
    }))
  }
}

function noteOf(kind: string, id: string, title: string): string {
  return id === title ? kind : `${kind} ${oneLine(id, MAX_TITLE_CHARS)}`
}

function idIn(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    // it was typed into the address
    return segment
  }
}
