import { useRef } from 'react'
import type { ReactNode } from 'react'
import { useKeys } from '../keys/use-keys.ts'

/** A list of fewer items is shown as cards. */
export const CARDS_BELOW = 12

export interface CardGridProps<T> {
  readonly label: string
  readonly items: readonly T[]
  readonly itemKey: (item: T) => string
  readonly card: (item: T) => ReactNode
}

/** Items as cards, of which each begins with its link. `j` and `k` move from card to card. */
export function CardGrid<T>({ label, items, itemKey, card }: CardGridProps<T>) {
  const ref = useRef<HTMLUListElement>(null)
  const move = (by: number) => {
    const links = [...(ref.current?.querySelectorAll<HTMLElement>('[data-card] > a') ?? [])]
    const at = links.findIndex((link) => link.parentElement?.contains(document.activeElement))
    links[at === -1 ? 0 : Math.max(0, Math.min(links.length - 1, at + by))]?.focus()
  }
  const group = 'Lists'
  useKeys([
    { keys: 'j', label: 'Next card', group, run: () => move(1) },
    { keys: 'k', label: 'Previous card', group, run: () => move(-1) },
  ])
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <ul
        ref={ref}
        aria-label={label}
        className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,20rem),1fr))] gap-3 p-4"
      >
        {items.map((item) => (
          <li key={itemKey(item)} className="min-w-0">
            {card(item)}
          </li>
        ))}
      </ul>
    </div>
  )
}
