import { useCallback, useState } from 'react'
import { useServices } from '../services/services-context.tsx'

/** State that is the same again when Back or Forward shows the page once more. `value` must be JSON. */
export function useKeptState<T>(name: string, initial: T): [T, (value: T) => void] {
  const { router } = useServices()
  const [value, setValue] = useState(() => (router.views.current.values[name] as T | undefined) ?? initial)
  const set = useCallback(
    (next: T) => {
      router.views.current.values[name] = next
      setValue(next)
    },
    [router, name],
  )
  return [value, set]
}
