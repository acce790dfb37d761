import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

const NEAR = 32

/**
 * Keeps a scrolling element at its end while it grows, unless the reader has gone up. `content` is what it
 * grows with.
 */
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
    const look = () => {
      const left = element.scrollHeight - element.scrollTop - element.clientHeight
      sticks.current = left < NEAR
      setAway(left >= NEAR)
    }
    element.addEventListener('scroll', look, { passive: true })
    return () => element.removeEventListener('scroll', look)
  }, [])
  useLayoutEffect(() => {
    const element = ref.current
    if (element && sticks.current) element.scrollTop = element.scrollHeight
  }, [content])
  return { ref, isAway, toEnd }
}
