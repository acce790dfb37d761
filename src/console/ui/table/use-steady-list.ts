import { useState } from 'react'
import type { RefObject } from 'react'
import { useIsAt } from './use-is-at.ts'

/** An item at its place in a list. */
export interface SteadyItem<Item> {
  readonly item: Item
  /** Whether it has left the list, and only keeps its place. */
  readonly isGone: boolean
}

/**
 * The items of a list whose actions remove them. While a person is at the element, nothing moves below the pointer:
 * items that leave keep their place, and new ones are added at the end.
 */
export function useSteadyList<Item>(
  frame: RefObject<HTMLElement | null>,
  items: readonly Item[],
  keyOf: (item: Item) => string,
): readonly SteadyItem<Item>[] {
  const [held, setHeld] = useState<readonly Item[]>()
  const isAt = useIsAt(frame)
  if (!isAt) {
    if (held) setHeld(undefined)
    return items.map((item) => ({ item, isGone: false }))
  }
  const known = new Set(held?.map(keyOf))
  const added = items.filter((item) => !known.has(keyOf(item)))
  const shown = [...(held ?? []), ...added]
  if (!held || added.length > 0) setHeld(shown)
  const current = new Map(items.map((item) => [keyOf(item), item]))
  return shown.map((item) => {
    const newest = current.get(keyOf(item))
    return { item: newest ?? item, isGone: newest === undefined }
  })
}
