import { useCallback } from 'react'
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
