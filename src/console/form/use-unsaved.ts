import { useEffect } from 'react'
import { useServices } from '../services/services-context.tsx'

/** Leaving the page asks before what was entered is discarded. */
export function useUnsaved(edited: boolean): void {
  const { router } = useServices()
  useEffect(() => (edited ? router.unsaved.add() : undefined), [router, edited])
}
