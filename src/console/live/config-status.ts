import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import { useServices } from '../services/services-context.tsx'
import type { DataOf } from '../api/call.ts'
import { queryKeyOf, useEndpoint } from '../api/use-endpoint.ts'
import { useChanges, useLiveState } from './use-topic.ts'
import { ApiError } from '../../client/api-error.ts'
import { clockTime } from '../ui/time/format-time.ts'

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

export type Settings = DataOf<'getServerSettings'>

/** The settings of the server, refetched with each load of the configuration. */
export function useSettings(): UseQueryResult<Settings> {
  const settings = useEndpoint('getServerSettings', {})
  useChanges('config', settings.refetch)
  return settings
}

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

export interface ConfigProblem {
  readonly title: string
  /** Code frame of the error, if known. */
  readonly text: string
  readonly location?: string
  readonly note?: string
}

/** Why the current configuration could not be loaded; undefined when it was. */
export function useConfigProblem(): ConfigProblem | undefined {
  const { data, error } = useServerStatus()
  if (error instanceof ApiError && error.status === 503) return problemOf(error.message)
  const failure = data?.config.error
  if (!failure || !data) return undefined
  const { name, message, file, line, column } = failure
  return {
    title: `${name}: ${message}`,
    location: [file, line, column].filter((part) => part !== null).join(':'),
    text: failure.frame ?? '',
    note: `still serving the version of ${clockTime(data.generation.at)}`,
  }
}

/** The first line names the problem: that nothing was loaded yet, or that the database is away. */
function problemOf(message: string): ConfigProblem {
  const [title = '', ...lines] = message.split('\n')
  return { title, text: lines.join('\n') }
}
