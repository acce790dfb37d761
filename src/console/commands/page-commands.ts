import type { CallOf, DataKey, DataOf } from '../api/call.ts'
import { queryKeyOf } from '../api/use-endpoint.ts'
import type { Services } from '../services/services.ts'
import { statusText } from '../ui/state/status-badge.tsx'
import type { Command } from './commands.ts'

const FRESH_MS = 10_000
const RECENT_EXECUTIONS = { query: { limit: '100' } } as const
/** Text that could be an id, and is too long for a word. */
const EXECUTION_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{7,127}$/
const TRACE_ID = /^[0-9a-f]{32}$/

/** Commands that open the pages of workflows, agents, tools and executions. */
export async function pageCommands(
  { api, queries, router }: Services,
  text: string,
): Promise<readonly Command[]> {
  const fetchCached = <K extends DataKey>(key: K, call: CallOf<K>): Promise<DataOf<K>> =>
    queries.fetchQuery({
      queryKey: queryKeyOf(key, call),
      queryFn: ({ signal }) => api.call(key, { ...call, signal } as CallOf<K>),
      staleTime: FRESH_MS,
    })
  const go = (path: string, id: string) => () => void router.navigate(`${path}/${encodeURIComponent(id)}`)
  const found = await Promise.allSettled([
    fetchCached('listWorkflows', {}).then((list) =>
      list.map(({ id, name }) => ({
        name: displayName(id, name),
        hint: 'Workflow',
        run: go('workflows', id),
      })),
    ),
    fetchCached('listAgents', {}).then((list) =>
      list.map(({ id, name }) => ({ name: displayName(id, name), hint: 'Agent', run: go('agents', id) })),
    ),
    fetchCached('listTools', {}).then((list) =>
      list.map(({ name }) => ({ name, hint: 'Tool', run: go('tools', name) })),
    ),
    text.length < 3
      ? []
      : fetchCached('observeExecutions', RECENT_EXECUTIONS).then((list) =>
          list.map(({ id, workflowId, status }) => ({
            name: id,
            hint: `Execution of ${workflowId}, ${statusText(status)}`,
            run: go('executions', id),
          })),
        ),
  ])
  // failed requests offer nothing; the screens show their errors
  const known = found.flatMap((one): readonly Command[] => (one.status === 'fulfilled' ? one.value : []))
  return [...known, ...byId(text, known, go)]
}

/** Commands for ids that are not in the lists. */
function byId(
  text: string,
  known: readonly Command[],
  go: (path: string, id: string) => () => void,
): readonly Command[] {
  if (TRACE_ID.test(text)) return [{ name: text, hint: 'Trace', run: go('traces', text) }]
  if (!EXECUTION_ID.test(text) || known.some(({ name }) => name === text)) return []
  return [{ name: text, hint: 'Execution with this id', run: go('executions', text) }]
}

function displayName(id: string, name: string): string {
  return name === id ? id : `${id} (${name})`
}
