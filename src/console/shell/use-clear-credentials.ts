import { useServices } from '../services/services-context.tsx'

/** Removes key and token, and the data fetched with them. */
export function useClearCredentials(): () => void {
  const { credentials, queries, live } = useServices()
  return () => {
    credentials.clear()
    live.retry()
    void queries.resetQueries()
  }
}
