import type { CallOf, DataKey, DataOf } from '../../api/call.ts'
import { queryKeyOf } from '../../api/use-endpoint.ts'
import type { Services } from '../../services/services.ts'
import { oneLine } from '../../ui/escape-text.ts'
import { FILTER_VALUES, completeName, completeValue, openFilter } from '../complete-filter.ts'
import type { Completion, FilterValues } from '../complete-filter.ts'
import { hasWords } from '../found.ts'
import type { Found, FoundGroup, SearchSource } from '../found.ts'
import { agentLinks, linksTo, workflowLinks } from './links.ts'

const FRESH_MS = 10_000
const MAX_ITEMS = 6
const MAX_VALUES = 12
const MAX_NAME_CHARS = 120

/** Workflows, agents and tools by name and id. */
export function declaredResults(services: Services): SearchSource {
  return async ({ text }) => {
    if (text.trim() === '') return []
    const group = (name: string, items: readonly Found[]): FoundGroup => ({
      name,
      items: items.filter((item) => hasWords(text, item.name, item.note ?? '')).slice(0, MAX_ITEMS),
    })
    const [workflows, agents, tools] = await Promise.all([
      fetchCached(services, 'listWorkflows', {}),
      fetchCached(services, 'listAgents', {}),
      fetchCached(services, 'listTools', {}),
    ])
    return [
      group(
        'Workflows',
        workflows.map(({ id, name }) => ({ ...named(id, name), ...workflowLinks(services, id) })),
      ),
      group(
        'Agents',
        agents.map(({ id, name }) => ({ ...named(id, name), ...agentLinks(services, id) })),
      ),
      group(
        'Tools',
        tools.map(({ name }) => ({
          ...named(name, name),
          ...linksTo(services, `tools/${encodeURIComponent(name)}`),
        })),
      ),
    ]
  }
}

/** Values for the filter that is being typed. */
export function valueCompletions(services: Services): SearchSource {
  return async ({ text }) => {
    const filter = openFilter(text)
    if (filter === undefined) return []
    const values = FILTER_VALUES[filter] ?? (await declaredValues(services, filter))
    return [{ name: 'Filters', items: completeValue(text, values).slice(0, MAX_VALUES).map(asFound) }]
  }
}

/** The filters that begin as the last word; all of them behind a space. */
export const nameCompletions: SearchSource = ({ text }) => [
  { name: 'Filters', items: completeName(text).map(asFound) },
]

function asFound({ name, note, text }: Completion): Found {
  return {
    key: `completion ${name}`,
    name: oneLine(name, MAX_NAME_CHARS),
    note: oneLine(note, MAX_NAME_CHARS),
    completed: text,
    run: () => undefined,
  }
}

async function declaredValues(services: Services, filter: string): Promise<FilterValues> {
  if (filter !== 'workflow' && filter !== 'agent') return []
  const list = await (filter === 'workflow'
    ? fetchCached(services, 'listWorkflows', {})
    : fetchCached(services, 'listAgents', {}))
  return list.map(({ id, name }) => [id, name === id ? '' : name])
}

function named(id: string, name: string): Pick<Found, 'name' | 'note'> {
  return { name: oneLine(name, MAX_NAME_CHARS), ...(name !== id && { note: oneLine(id, MAX_NAME_CHARS) }) }
}

/** Data of an endpoint, as old as a few seconds. */
export function fetchCached<K extends DataKey>(
  { api, queries }: Services,
  key: K,
  call: CallOf<K>,
): Promise<DataOf<K>> {
  return queries.fetchQuery({
    queryKey: queryKeyOf(key, call),
    queryFn: ({ signal }) => api.call(key, { ...call, signal } as CallOf<K>),
    staleTime: FRESH_MS,
  })
}
