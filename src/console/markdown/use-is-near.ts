import { useEffect, useState } from 'react'
import type { RefObject } from 'react'

/** Distance from the view that counts as near. */
const MARGIN = '800px'

/** Whether an element has come near the view; it stays so. */
export function useIsNear(ref: RefObject<Element | null>, initial: boolean): boolean {
  const [isNear, setNear] = useState(initial)
  useEffect(() => {
    if (isNear || !ref.current) return undefined
    const observer = new IntersectionObserver(
      (entries) => setNear(entries.some((entry) => entry.isIntersecting)),
      // the margin of the page does not apply within an element that scrolls
      { rootMargin: MARGIN, scrollMargin: MARGIN },
    )
    observer.observe(ref.current)
    return () => observer.disconnect()
  }, [ref, isNear])
  return isNear
}
