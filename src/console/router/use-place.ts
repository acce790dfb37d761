import { useSyncExternalStore } from 'react'
import { useServices } from '../services/services-context.tsx'
import type { Place } from './router.ts'

/** Where the console is now. */
export function usePlace(): Place {
  const { router } = useServices()
  const place = useSyncExternalStore(router.subscribe, router.place)
  if (!place) throw new Error('The router has not started')
  return place
}
