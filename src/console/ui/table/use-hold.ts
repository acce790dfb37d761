import { useEffect, useEffectEvent } from 'react'
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
