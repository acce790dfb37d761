import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query'
import { useServices } from '../services/services-context.tsx'
import type { AnyCall, CallOf, DataKey, DataOf } from './call.ts'
import { useEffect, useEffectEvent } from 'react'

export interface EndpointOptions {
  readonly enabled?: boolean
  /** Shows the previous data while new data is fetched, as when filters change. */
  readonly keep?: boolean
}

/** The cache key of a call. `[key]` matches all calls of an endpoint. */
export function queryKeyOf(key: DataKey, { params, query }: AnyCall = {}): readonly unknown[] {
  return [key, params ?? null, query ?? null]
}

/** Fetches an endpoint and caches its data: `useEndpoint('getWorkflow', { params: { id } })`. */
export function useEndpoint<K extends DataKey>(
  key: K,
  call: CallOf<K>,
  { enabled = true, keep = false }: EndpointOptions = {},
): UseQueryResult<DataOf<K>> {
  const { api } = useServices()
  return useQuery<DataOf<K>>({
    queryKey: queryKeyOf(key, call),
    queryFn: ({ signal }) => api.call(key, { ...call, signal } as CallOf<K>),
    enabled,
    ...(keep && { placeholderData: keepPreviousData }),
  })
}

/** Calls an endpoint with side effects: `useAction('cancelExecution').mutateAsync({ params })`. */
export function useAction<K extends DataKey>(key: K): UseMutationResult<DataOf<K>, Error, CallOf<K>> {
  const { api } = useServices()
  return useMutation<DataOf<K>, Error, CallOf<K>>({ mutationFn: (call) => api.call(key, call) })
}

/** Calls `refetch` every `everyMs` milliseconds while the page is visible, for data without a live topic. */
export function usePolling(refetch: () => unknown, everyMs: number): void {
  const poll = useEffectEvent(() => {
    if (document.visibilityState === 'visible') void refetch()
  })
  useEffect(() => {
    const timer = setInterval(() => poll(), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
}
