import { useEffect, useLayoutEffect, useRef } from 'react'
import type { RefObject } from 'react'

/** How near to the end, in pixels, counts as at it. */
const NEAR = 40

/** Keeps a list whose end was in view at its end when it grows. */
export function useFollowEnd(
  ref: RefObject<HTMLElement | null>,
  { follow, count }: { readonly follow: boolean; readonly count: number },
): void {
  const atEnd = useRef(false)
  // where the end was when it was last gone to: rows that came since don't count against whoever stands there
  const end = useRef(Infinity)
  useEffect(() => {
    const element = ref.current
    if (!element || !follow) return undefined
    const look = () => {
      const known = Math.min(end.current, element.scrollHeight)
      atEnd.current = element.scrollTop + element.clientHeight >= known - NEAR
    }
    look()
    element.addEventListener('scroll', look, { passive: true })
    return () => element.removeEventListener('scroll', look)
  }, [ref, follow])
  useLayoutEffect(() => {
    const element = ref.current
    if (!element || !follow || !atEnd.current) return
    element.scrollTo({ top: element.scrollHeight })
    end.current = element.scrollHeight
  }, [ref, follow, count])
}
