import { useEffect, useState } from 'react'
import { useServices } from '../services/services-context.tsx'
import { useLocation } from './use-location.ts'

const SETTLE_MS = 150

export interface SettledState {
  readonly value: string
  readonly choose: (value: string) => void
  /** The same, once it rests there. */
  readonly settled: string
}

/**
 * A parameter of the address that changes quickly, as a selection does under the arrows. The address follows
 * when they are let go: browsers take few changes of it a second.
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
