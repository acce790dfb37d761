import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import { useServices } from '../services/services-context.tsx'
import type { DataOf } from '../api/call.ts'
import { queryKeyOf } from '../api/use-endpoint.ts'
import { useChanges } from './use-topic.ts'

export type ServerStatus = DataOf<'getObservabilityStatus'>

/** The served generation, and whether the current files load. Follows the topic `config`. */
export function useServerStatus(): UseQueryResult<ServerStatus> {
  const { api } = useServices()
  const client = useQueryClient()
  const queryKey = queryKeyOf('getObservabilityStatus')
  const refetch = () => void client.invalidateQueries({ queryKey })
  useChanges('config', refetch)
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => api.call('getObservabilityStatus', { signal, quiet: true }),
    // before the first successful load there is no WebSocket
    refetchInterval: ({ state }) => (state.status === 'error' ? 1000 : 30_000),
    retry: false,
  })
}
