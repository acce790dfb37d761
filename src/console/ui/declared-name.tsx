import { useQuery } from '@tanstack/react-query'
import { queryKeyOf } from '../api/use-endpoint.ts'
import { useServices } from '../services/services-context.tsx'
import { oneLine } from './escape-text.ts'

/** The name of a workflow or an agent, with its id in the tooltip; the id if the configuration has it no more. */
export function DeclaredName({ kind, id }: { readonly kind: NamedKind; readonly id: string }) {
  const { nameOf } = useNames(kind)
  return <bdi title={id}>{nameOf(id)}</bdi>
}

export type NamedKind = 'workflow' | 'agent'

const LISTS = { workflow: 'listWorkflows', agent: 'listAgents' } as const

/** Every row of a list asks for its name. */
const FRESH_MS = 10_000

const MAX_NAME_CHARS = 200

/** The names of the workflows or agents of the configuration. */
function useNames(kind: NamedKind): { readonly nameOf: (id: string) => string } {
  const { api } = useServices()
  const key = LISTS[kind]
  const { data = [] } = useQuery<readonly { readonly id: string; readonly name: string }[]>({
    queryKey: queryKeyOf(key, {}),
    queryFn: ({ signal }) => api.call(key, { signal }),
    staleTime: FRESH_MS,
  })
  return { nameOf: (id) => oneLine(data.find((one) => one.id === id)?.name ?? id, MAX_NAME_CHARS) }
}
