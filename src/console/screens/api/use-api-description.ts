import { useQuery } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import { useChanges } from '../../live/use-topic.ts'
import { useServices } from '../../services/services-context.tsx'
import { readDescription } from './api-description.ts'
import type { ApiDescription } from './api-description.ts'

/** The API description of this server, with the routes of the newest configuration. */
export function useApiDescription(): UseQueryResult<ApiDescription> {
  const { api } = useServices()
  const description = useQuery({
    queryKey: ['getApiDescription'],
    queryFn: async ({ signal }) => readDescription(await api.text('getApiDescription', { signal })),
  })
  useChanges('config', description.refetch)
  return description
}
