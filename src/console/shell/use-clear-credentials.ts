import { useServices } from '../services/services-context.tsx'

/** Lets go of key and token, and of all that they opened. */
export function useClearCredentials(): () => void {
  const { credentials, queries, live } = useServices()
  return () => {
    credentials.clear()
    live.retry()
    void queries.resetQueries()
  }
}
