import { useEffect, useState } from 'react'
import type { RefObject } from 'react'

/** Whether the pointer is over an element; after a touch, until something else is touched. */
export function useIsAt(frame: RefObject<HTMLElement | null>): boolean {
  const [isAt, setIsAt] = useState(false)
  useEffect(() => {
    const element = frame.current
    if (!element) return undefined
    // not `pointerleave` of the element: browsers leave it out when what was under the pointer is removed
    const move = ({ target, pointerType }: PointerEvent) => {
      const isOver = element.contains(target as Node)
      if (isOver || pointerType !== 'touch') setIsAt(isOver)
    }
    const leave = ({ pointerType }: PointerEvent) => {
      if (pointerType !== 'touch') setIsAt(false)
    }
    const press = ({ target }: PointerEvent) => setIsAt(element.contains(target as Node))
    const page = document.documentElement
    document.addEventListener('pointerover', move)
    page.addEventListener('pointerleave', leave)
    document.addEventListener('pointerdown', press)
    return () => {
      document.removeEventListener('pointerover', move)
      page.removeEventListener('pointerleave', leave)
      document.removeEventListener('pointerdown', press)
    }
  }, [frame])
  return isAt
}
