import { useCallback } from 'react'
import { useServices } from '../services/services-context.tsx'
import { useLocation } from './use-location.ts'

/**
 * State that lives in the address: filters (under the API's own parameter names), the tab, the selection.
 * `useUrlState({ status: '', tab: 'timeline' })` gives the values, with these defaults, and a setter; what
 * equals its default is left out of the address.
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
      const told = Object.entries(changes).map(([name, value]) => [
        name,
        value === defaults[name] ? undefined : value,
      ])
      router.setSearch(Object.fromEntries(told) as Record<string, string | undefined>)
    },
    // the defaults are the caller's constants
    [router],
  )
  return [values, set]
}
