import { useState } from 'react'
import type { ReactNode } from 'react'
import { Icon } from '../ui/icon.tsx'

export interface MoreFiltersProps {
  /** Number of these filters that are set. */
  readonly set: number
  readonly children: ReactNode
}

/** Less common filters: shown on demand, or when one of them is set. */
export function MoreFilters({ set, children }: MoreFiltersProps) {
  const [isOpen, setOpen] = useState(set > 0)
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        className="inline-flex min-h-6 items-center gap-1 text-sm text-dim hover:text-text"
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? 'down' : 'right'} />
        More{set > 0 && ` (${set})`}
      </button>
      {isOpen && <div className="order-last flex basis-full flex-wrap items-center gap-2">{children}</div>}
    </>
  )
}
