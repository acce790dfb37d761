import { useQueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { useServices } from '../services/services-context.tsx'
import type { DataOf } from '../api/call.ts'
import { useEndpoint, usePolling } from '../api/use-endpoint.ts'
import { serverClock } from '../ui/time/use-now.ts'
import { isUnseen } from '../live/seen-failures.ts'
import { useChanges } from '../live/use-topic.ts'
import { useThrottled } from '../live/use-throttled.ts'

const EVERY_MS = 500
const POLL_MS = 2000
const DAY_MS = 86_400_000

/** Numbers of running, suspended and failed executions, updated live. */
export function useUsage(): {
  readonly usage: DataOf<'getActivity'> | undefined
  readonly error: Error | null
  readonly refetch: () => void
  /** Number of executions, approvals and failures that need the user. */
  readonly needed: number
} {
  const { seenFailures } = useServices()
  const seen = useSyncExternalStore(seenFailures.subscribe, seenFailures.seen)
  const isRecent = seen.until > serverClock.now() - DAY_MS
  const query = isRecent ? { since: new Date(seen.until).toISOString() } : {}
  const { data, error, refetch } = useEndpoint('getActivity', { query, quiet: true }, { keep: true })
  const failures = data?.openFailures ?? []
  const failed = failures.filter(({ id, lastAt }) => isUnseen(seen, id, Date.parse(lastAt))).length
  return {
    usage: data,
    error,
    refetch: () => void refetch(),
    needed: (data?.needsYou.suspended ?? 0) + (data?.needsYou.approvals ?? 0) + failed,
  }
}

/** Keeps the data of `useUsage` current. Use it once per page. */
export function useUsageUpdates(): void {
  const client = useQueryClient()
  const update = useThrottled(() => void client.invalidateQueries({ queryKey: ['getActivity'] }), EVERY_MS)
  useChanges('executions', update)
  // agent runs have no live topic
  usePolling(update, POLL_MS)
}
