import type { UseQueryResult } from '@tanstack/react-query'
import type { DataOf } from '../../api/call.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useTopic } from '../../live/use-topic.ts'

export type Settings = DataOf<'getServerSettings'>

/** How the server is configured, fetched again with each load of the configuration. */
export function useSettings(): UseQueryResult<Settings> {
  const settings = useEndpoint('getServerSettings', {})
  const update = () => void settings.refetch()
  useTopic('config', { onFrame: update, onResync: update })
  return settings
}
