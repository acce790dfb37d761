import { useMemo, useRef } from 'react'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { LogRecord } from '../../../contract/endpoints/log.ts'
import { useTopic } from '../../live/use-topic.ts'
import { useServices } from '../../services/services-context.tsx'

export const LOG_LEVELS_SHOWN = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

/** Empty for all. */
export interface LogFilter {
  readonly level: string
  readonly q: string
}

export interface RunLogs {
  /** Oldest first. */
  readonly logs: readonly LogRecord[] | undefined
  readonly error: unknown
  readonly refetch: () => void
  /** Loads older records; undefined when all are loaded. */
  readonly older: (() => void) | undefined
}

const PAGE = '500'

/** Minimum interval between refetches. */
const REFETCH_MS = 200

/** The log of an execution, updated live. */
export function useRunLogs(executionId: string, filters: LogFilter): RunLogs {
  const { api } = useServices()
  const level = LOG_LEVELS_SHOWN.find((one) => one === filters.level)
  const q = filters.q.trim() === '' ? undefined : filters.q.trim()
  const query = { executionId, limit: PAGE, ...(level && { level }), ...(q !== undefined && { q }) }
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['listLogs', 'run', query],
    initialPageParam: '',
    queryFn: async ({ signal, pageParam }) => {
      const paged = { ...query, ...(pageParam !== '' && { cursor: pageParam }) }
      return api.request('listLogs', { query: paged, signal })
    },
    getNextPageParam: ({ headers }) => headers.get('x-next-cursor') ?? undefined,
  })
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const refetchSoon = () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void refetch()
    }, REFETCH_MS)
  }
  useTopic('logs', {
    onFrame: ({ data: log }) => {
      if ((log as LogRecord).executionId === executionId) refetchSoon()
    },
    onResync: () => void refetch(),
  })
  const logs = useMemo(() => data?.pages.flatMap((page) => page.data).toReversed(), [data])
  return {
    logs,
    error,
    refetch: () => void refetch(),
    older: hasNextPage ? () => void fetchNextPage() : undefined,
  }
}
