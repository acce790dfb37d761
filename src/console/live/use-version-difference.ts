import { useQuery } from '@tanstack/react-query'
import { useServices } from '../services/services-context.tsx'
import { queryKeyOf } from '../api/use-endpoint.ts'
import { useLiveState } from './use-topic.ts'

/** Defined by the build: the version of the package. */
declare const PACKAGE_VERSION: string

export interface VersionDifference {
  readonly page: string
  readonly server: string
}

/** The versions of this page and of the server, when they differ: with several machines, or an old page in a cache. */
export function useVersionDifference(): VersionDifference | undefined {
  const { api } = useServices()
  const { data } = useQuery({
    queryKey: queryKeyOf('getServerSettings'),
    queryFn: ({ signal }) => api.call('getServerSettings', { signal, quiet: true }),
    enabled: useLiveState() === 'open',
    retry: false,
  })
  if (!data || data.version === PACKAGE_VERSION) return undefined
  return { page: PACKAGE_VERSION, server: data.version }
}
