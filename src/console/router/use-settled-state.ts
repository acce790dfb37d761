import { useEffect, useState } from 'react'
import { useServices } from '../services/services-context.tsx'
import { useLocation } from './use-location.ts'

const SETTLE_MS = 150

export interface SettledState {
  readonly value: string
  readonly choose: (value: string) => void
  /** The value in the URL, set after a short delay. */
  readonly settled: string
}

/**
 * A search parameter that may change quickly, such as a selection moved with the arrow keys. The URL is updated after
 * a short delay, as browsers limit the rate of history changes.
 */
export function useSettledState(name: string): SettledState {
  const { router } = useServices()
  const { search } = useLocation()
  const settled = search.get(name) ?? ''
  const [value, choose] = useState(settled)
  const [seen, setSeen] = useState(settled)
  if (seen !== settled) {
    setSeen(settled)
    choose(settled)
  }
  useEffect(() => {
    if (value === settled) return undefined
    const timer = setTimeout(() => router.setSearch({ [name]: value }), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [router, name, value, settled])
  return { value, choose, settled }
}
