import type { UseQueryResult } from '@tanstack/react-query'
import type { DataOf } from '../api/call.ts'
import { useEndpoint } from '../api/use-endpoint.ts'
import { useChanges } from './use-topic.ts'

export type Settings = DataOf<'getServerSettings'>

/** The settings of the server, refetched with each load of the configuration. */
export function useSettings(): UseQueryResult<Settings> {
  const settings = useEndpoint('getServerSettings', {})
  useChanges('config', settings.refetch)
  return settings
}
