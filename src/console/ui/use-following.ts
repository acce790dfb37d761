import { useEffect, useLayoutEffect, useRef } from 'react'
import type { RefObject } from 'react'

/** How near to the end, in pixels, counts as at it. */
const NEAR = 40

/** Keeps a list whose end was in view at its end when it grows. */
export function useFollowing(
  ref: RefObject<HTMLElement | null>,
  { follow, count }: { readonly follow: boolean; readonly count: number },
): void {
  const atEnd = useRef(false)
  useEffect(() => {
    const element = ref.current
    if (!element || !follow) return undefined
    const look = () => {
      atEnd.current = element.scrollTop + element.clientHeight >= element.scrollHeight - NEAR
    }
    look()
    element.addEventListener('scroll', look, { passive: true })
    return () => element.removeEventListener('scroll', look)
  }, [ref, follow])
  useLayoutEffect(() => {
    if (follow && atEnd.current) ref.current?.scrollTo({ top: ref.current.scrollHeight })
  }, [ref, follow, count])
}
