import { QueryClient } from '@tanstack/react-query'
import { ApiError } from '../../client/api-error.ts'

/** The cache of fetched data. Failed requests are retried once before the error is shown. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // the server is often on this machine, and reachable without a network
        networkMode: 'always',
        staleTime: 2000,
        retry: (failures, error) => failures < 1 && isRetryable(error),
        retryDelay: 300,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  })
}

/** Whether a retry could succeed. */
function isRetryable(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500
}
