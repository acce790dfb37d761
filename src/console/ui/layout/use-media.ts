import { useCallback, useSyncExternalStore } from 'react'

/** Windows in which the navigation is folded, and tables are lists. Tailwind's `sm` begins above it. */
export const NARROW = '(width < 40rem)'

/** Windows with room for all columns of a table beside the navigation. Tailwind's `xl` begins here. */
export const ROOMY = '(width >= 80rem)'

/** Whether a media query matches, and renders again when that changes. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (changed: () => void) => {
      const list = matchMedia(query)
      list.addEventListener('change', changed)
      return () => list.removeEventListener('change', changed)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches)
}
