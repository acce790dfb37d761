import { useQuery } from '@tanstack/react-query'
import { queryKeyOf } from '../api/use-endpoint.ts'
import { useServices } from '../services/services-context.tsx'
import { oneLine } from '../ui/escape-hidden.ts'

export type NamedKind = 'workflow' | 'agent'

const LISTS = { workflow: 'listWorkflows', agent: 'listAgents' } as const
/** Every row of a list asks for its name. */
const FRESH_MS = 10_000
const MAX_NAME_CHARS = 200

/** The names of the workflows or agents of the configuration. */
export function useNames(kind: NamedKind): { readonly nameOf: (id: string) => string } {
  const { api } = useServices()
  const key = LISTS[kind]
  const { data = [] } = useQuery<readonly { readonly id: string; readonly name: string }[]>({
    queryKey: queryKeyOf(key, {}),
    queryFn: ({ signal }) => api.call(key, { signal }),
    staleTime: FRESH_MS,
  })
  return { nameOf: (id) => oneLine(data.find((one) => one.id === id)?.name ?? id, MAX_NAME_CHARS) }
}
