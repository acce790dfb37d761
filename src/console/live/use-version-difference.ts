import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../../client/api-error.ts'
import { useServices } from '../services/services-context.tsx'
import { queryKeyOf } from '../api/use-endpoint.ts'
import { useLiveState } from './use-topic.ts'

/** Defined by the build: the version of the package. */
declare const PACKAGE_VERSION: string

export interface VersionDifference {
  readonly page: string
  /** Empty when the server is so old that it does not say. */
  readonly server: string
  /** The server is the older of the two, as when it was not restarted after an update of the package. */
  readonly isServerOlder: boolean
}

/** The versions of this page and of the server, when they differ: after an update, with several machines, in a cache. */
export function useVersionDifference(): VersionDifference | undefined {
  const { api } = useServices()
  const state = useLiveState()
  const { data, error } = useQuery({
    queryKey: queryKeyOf('getServerSettings'),
    queryFn: ({ signal }) => api.call('getServerSettings', { signal, quiet: true }),
    enabled: state === 'open' || state === 'polling',
    retry: false,
  })
  const isUnknown = error instanceof ApiError && error.status === 404
  const server = data?.version ?? (isUnknown ? '' : PACKAGE_VERSION)
  if (server === PACKAGE_VERSION) return undefined
  const order = server.localeCompare(PACKAGE_VERSION, 'en', { numeric: true })
  return { page: PACKAGE_VERSION, server, isServerOlder: order < 0 }
}
