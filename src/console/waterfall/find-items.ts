/** The rows of a tree that match, and their ancestors. */
export interface FoundItems<Item> {
  /** Those that match, each after its ancestors, so that it is shown in its context. */
  readonly shown: readonly Item[]
  readonly matching: ReadonlySet<Item>
}

/** Finds rows in a tree in depth-first order. */
export function findItems<Item extends { readonly depth: number }>(
  items: readonly Item[],
  matches: (item: Item) => boolean,
): FoundItems<Item> {
  const matching = new Set<Item>()
  const shown: Item[] = []
  // backwards, so that a parent comes after its children
  let above = -1
  for (const one of items.toReversed()) {
    if (matches(one)) matching.add(one)
    else if (one.depth !== above) continue
    above = one.depth - 1
    shown.push(one)
  }
  return { shown: shown.toReversed(), matching }
}
