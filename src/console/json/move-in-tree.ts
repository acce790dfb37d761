/** Moves the focus within a tree by the keys of the ARIA tree pattern. Returns whether the key is one of them. */
export function moveInTree(item: HTMLElement, key: string): boolean {
  const tree = item.closest('[role="tree"]')
  const items = [...(tree?.querySelectorAll<HTMLElement>('[role="treeitem"]') ?? [])]
  const at = items.indexOf(item)
  const to = {
    ArrowDown: items[at + 1],
    ArrowUp: items[at - 1],
    Home: items[0],
    End: items.at(-1),
    ArrowRight: items[at + 1],
    ArrowLeft: item.parentElement?.closest<HTMLElement>('[role="treeitem"]'),
  }
  if (!Object.hasOwn(to, key)) return false
  const next = to[key as keyof typeof to]
  if (!next) return true
  for (const one of items) one.tabIndex = one === next ? 0 : -1
  next.focus()
  return true
}
