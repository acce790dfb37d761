import { useSyncExternalStore } from 'react'
import { useServices } from '../services/services-context.tsx'
import type { RouterLocation } from './router.ts'

/** Where the console is now. */
export function useLocation(): RouterLocation {
  const { router } = useServices()
  const place = useSyncExternalStore(router.subscribe, router.location)
  if (!place) throw new Error('The router has not started')
  return place
}
