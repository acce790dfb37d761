import { useEffect, useState } from 'react'
import type { RefObject } from 'react'

/** Whether the pointer is over an element; after a touch, until something else is touched. */
export function useIsAt(frame: RefObject<HTMLElement | null>): boolean {
  const [isAt, setIsAt] = useState(false)
  useEffect(() => {
    const element = frame.current
    if (!element) return undefined
    const enter = () => setIsAt(true)
    const leave = ({ pointerType }: PointerEvent) => {
      if (pointerType !== 'touch') setIsAt(false)
    }
    const press = ({ target }: PointerEvent) => setIsAt(element.contains(target as Node))
    element.addEventListener('pointerenter', enter)
    element.addEventListener('pointerleave', leave)
    document.addEventListener('pointerdown', press)
    return () => {
      element.removeEventListener('pointerenter', enter)
      element.removeEventListener('pointerleave', leave)
      document.removeEventListener('pointerdown', press)
    }
  }, [frame])
  return isAt
}
