import { QueryClient } from '@tanstack/react-query'
import { ApiError } from '../../client/api-error.ts'

/** What the screens have fetched. Failed requests are sent once more, then shown. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // the server is on this machine as often as not: it can be reached without a network
        networkMode: 'always',
        staleTime: 2000,
        retry: (failures, error) => failures < 1 && isRetryable(error),
        retryDelay: 300,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  })
}

/** Whether sending it again could end otherwise. */
function isRetryable(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500
}
