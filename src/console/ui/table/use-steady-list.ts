import { useState } from 'react'
import type { RefObject } from 'react'
import { useIsAt } from './use-hold.ts'

/** An item at its place in a list. */
export interface SteadyItem<Item> {
  readonly item: Item
  /** Whether it has left the list, and only keeps its place. */
  readonly isGone: boolean
}

interface SteadyOptions<Item> {
  readonly keyOf: (item: Item) => string
  /** Items that keep their place in any case. */
  readonly keeps: (key: string) => boolean
}

/**
 * The items of a list whose actions remove them. While a person is at the element, nothing moves below the pointer:
 * items that leave keep their place, and new ones are added at the end.
 */
export function useSteadyList<Item>(
  frame: RefObject<HTMLElement | null>,
  items: readonly Item[],
  { keyOf, keeps }: SteadyOptions<Item>,
): readonly SteadyItem<Item>[] {
  const [held, setHeld] = useState<readonly Item[]>([])
  const isAt = useIsAt(frame)
  const current = new Map(items.map((item) => [keyOf(item), item]))
  const known = new Set(held.map((item) => keyOf(item)))
  const kept = isAt ? held : held.filter((item) => current.has(keyOf(item)) || keeps(keyOf(item)))
  const isSteady = isAt || kept.some((item) => !current.has(keyOf(item)))
  const added = items.filter((item) => !known.has(keyOf(item)))
  const shown = isSteady ? [...kept, ...added] : items
  if (shown.length !== held.length || shown.some((item, index) => keyOf(item) !== keyOf(held[index] as Item)))
    setHeld(shown)
  return shown.map((item) => {
    const newest = current.get(keyOf(item))
    return { item: newest ?? item, isGone: newest === undefined }
  })
}
