import { useEffect, useLayoutEffect, useRef } from 'react'
import type { RefObject } from 'react'

/** Distance from the end, in pixels, that counts as at the end. */
const TOLERANCE = 40

/** Keeps a growing list scrolled to its end, if it was there before. */
export function useFollowEnd(
  ref: RefObject<HTMLElement | null>,
  { follow, count }: { readonly follow: boolean; readonly count: number },
): void {
  const atEnd = useRef(false)
  // the end at the last scroll: rows added since do not count as scrolled away
  const end = useRef(Infinity)
  useEffect(() => {
    const element = ref.current
    if (!element || !follow) return undefined
    const update = () => {
      const known = Math.min(end.current, element.scrollHeight)
      atEnd.current = element.scrollTop + element.clientHeight >= known - TOLERANCE
    }
    update()
    element.addEventListener('scroll', update, { passive: true })
    return () => element.removeEventListener('scroll', update)
  }, [ref, follow])
  useLayoutEffect(() => {
    const element = ref.current
    if (!element || !follow || !atEnd.current) return
    element.scrollTo({ top: element.scrollHeight })
    end.current = element.scrollHeight
  }, [ref, follow, count])
}
