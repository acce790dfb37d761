import { useCallback, useEffect, useRef, useState } from 'react'
import { useServices } from '../services/services-context.tsx'
import { useLocation } from './use-location.ts'

/**
 * State in the URL: filters (under the parameter names of the API), the tab, the selection.
 * `useUrlState({ status: '', tab: 'timeline' })` returns the values and a setter; values that equal their default are
 * omitted from the URL.
 */
export function useUrlState<T extends Readonly<Record<string, string>>>(
  defaults: T,
): [T, (changes: Partial<T>) => void] {
  const { router } = useServices()
  const { search } = useLocation()
  const values = Object.fromEntries(
    Object.entries(defaults).map(([name, fallback]) => [name, search.get(name) ?? fallback]),
  ) as T
  const set = useCallback(
    (changes: Partial<T>) => {
      const entries = Object.entries(changes).map(([name, value]) => [
        name,
        value === defaults[name] ? undefined : value,
      ])
      router.setSearch(Object.fromEntries(entries) as Record<string, string | undefined>)
    },
    // the defaults are constants of the caller
    [router],
  )
  return [values, set]
}

const SETTLE_MS = 150

interface SettledState {
  readonly value: string
  readonly choose: (value: string) => void
  /** The value in the URL. */
  readonly settled: string
}

/**
 * A search parameter that may change quickly, such as a selection moved with the arrow keys. The URL has the first change
 * at once, and what follows within a short time when that is over, as browsers limit the rate of history changes.
 */
export function useSettledState(name: string): SettledState {
  const { router } = useServices()
  const { search } = useLocation()
  const settled = search.get(name) ?? ''
  const [value, setValue] = useState(settled)
  const [seen, setSeen] = useState(settled)
  const changedAt = useRef(Number.NEGATIVE_INFINITY)
  if (seen !== settled) {
    setSeen(settled)
    setValue(settled)
  }
  const choose = useCallback(
    (next: string) => {
      setValue(next)
      const now = performance.now()
      if (now - changedAt.current > SETTLE_MS) router.setSearch({ [name]: next })
      changedAt.current = now
    },
    [router, name],
  )
  useEffect(() => {
    if (value === settled) return undefined
    const timer = setTimeout(() => router.setSearch({ [name]: value }), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [router, name, value, settled])
  return { value, choose, settled }
}
