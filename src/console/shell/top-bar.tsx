import { Menu, Search } from 'lucide-react'
import { Mark } from './mark.tsx'
import { useActivity } from '../live/use-activity.ts'
import { Link } from '../router/link.tsx'
import { countText } from '../ui/time/format-time.ts'

export interface TopBarProps {
  readonly isOpen: boolean
  readonly openNavigation: () => void
  readonly openSearch: () => void
}

const BUTTON = 'grid size-9 place-items-center rounded-md text-dim hover:bg-hover hover:text-text'

/** The bar of narrow windows, with the button that opens the navigation. */
export function TopBar({ isOpen, openNavigation, openSearch }: TopBarProps) {
  const { needed } = useActivity()
  return (
    <header className="flex h-11 shrink-0 items-center gap-1 border-b border-line bg-panel px-2">
      <button
        type="button"
        aria-label="Open navigation"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        className={BUTTON}
        onClick={openNavigation}
      >
        <Menu aria-hidden="true" className="size-5" />
      </button>
      <Link to="" className="flex items-center gap-2 px-1 font-semibold">
        <Mark className="size-5" />
        agentserver
        {needed > 0 && (
          <span className="text-sm font-normal text-suspended">
            {countText(needed)}
            <span className="sr-only"> need you</span>
          </span>
        )}
      </Link>
      <button type="button" aria-label="Search" className={`${BUTTON} ml-auto`} onClick={openSearch}>
        <Search aria-hidden="true" className="size-5" />
      </button>
    </header>
  )
}
