import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

/** Distance from the end, in pixels, that counts as at the end. */
const TOLERANCE = 32

/** Keeps an element scrolled to its end while `content` grows, unless the user has scrolled up. */
export function useStickToEnd<T extends HTMLElement>(content: unknown) {
  const ref = useRef<T>(null)
  const sticks = useRef(true)
  const [isAway, setAway] = useState(false)
  const toEnd = useCallback(() => {
    sticks.current = true
    setAway(false)
    const element = ref.current
    if (element) element.scrollTop = element.scrollHeight
  }, [])
  useEffect(() => {
    const element = ref.current
    if (!element) return undefined
    let lastTop = element.scrollTop
    const update = () => {
      const { scrollTop } = element
      const isAtEnd = element.scrollHeight - scrollTop - element.clientHeight < TOLERANCE
      // content that was added since is not scrolled away from
      if (isAtEnd || scrollTop < lastTop) {
        sticks.current = isAtEnd
        setAway(!isAtEnd)
      }
      lastTop = scrollTop
    }
    element.addEventListener('scroll', update, { passive: true })
    // the content also grows by itself, as when code for it is loaded
    const observer = new ResizeObserver(() => {
      if (sticks.current) element.scrollTop = element.scrollHeight
    })
    observer.observe(element)
    if (element.firstElementChild) observer.observe(element.firstElementChild)
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', update)
    }
  }, [])
  useLayoutEffect(() => {
    const element = ref.current
    if (element && sticks.current) element.scrollTop = element.scrollHeight
  }, [content])
  return { ref, isAway, toEnd }
}
