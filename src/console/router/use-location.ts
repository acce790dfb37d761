import { useSyncExternalStore } from 'react'
import { useServices } from '../services/services-context.tsx'
import type { RouterLocation } from './router.ts'

/** The current location. */
export function useLocation(): RouterLocation {
  const { router } = useServices()
  const location = useSyncExternalStore(router.subscribe, router.location)
  if (!location) throw new Error('The router has not started')
  return location
}
