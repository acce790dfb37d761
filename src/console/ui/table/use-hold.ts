import { useEffect, useEffectEvent, useState } from 'react'
import type { RefObject } from 'react'

/** Reports when a list must not move: while the pointer is over the element, or text in it is selected. */
export function useHold(ref: RefObject<HTMLElement | null>, onHold: (isHeld: boolean) => void): void {
  const report = useEffectEvent(onHold)
  useEffect(() => {
    const element = ref.current
    if (!element) return undefined
    let isPointed = false
    let isSelected = false
    let wasHeld = false
    const update = () => {
      const isHeld = isPointed || isSelected
      if (isHeld !== wasHeld) report(isHeld)
      wasHeld = isHeld
    }
    // a finger scrolls by itself, and does not stay
    const point = ({ type, pointerType }: PointerEvent) => {
      isPointed = type === 'pointerenter' && pointerType !== 'touch'
      update()
    }
    const select = () => {
      const selection = getSelection()
      isSelected = selection?.isCollapsed === false && element.contains(selection.anchorNode)
      update()
    }
    element.addEventListener('pointerenter', point)
    element.addEventListener('pointerleave', point)
    document.addEventListener('selectionchange', select)
    return () => {
      element.removeEventListener('pointerenter', point)
      element.removeEventListener('pointerleave', point)
      document.removeEventListener('selectionchange', select)
      if (wasHeld) report(false)
    }
  }, [ref])
}

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
