import { Keyboard, Search } from 'lucide-react'
import { AREA_GROUPS } from '../areas.ts'
import type { Area } from '../areas.ts'
import { Mark } from './mark.tsx'
import { useActivity } from '../../live/use-activity.ts'
import { Link } from '../../router/link.tsx'
import { useLocation } from '../../router/use-location.ts'
import { countText } from '../../ui/time/format-time.ts'
import { StatusLine } from './status-line.tsx'
import { ThemeSwitch } from './theme-switch.tsx'

export interface NavigationProps {
  readonly openSearch: () => void
  readonly openShortcuts: () => void
}

const ICON = 'size-4 shrink-0'
const ITEM = 'flex items-center gap-2 rounded-md px-2 py-1 max-sm:py-2'
const QUIET = 'text-dim hover:bg-hover hover:text-text'

/** The navigation, and the status of the server. */
export function Navigation({ openSearch, openShortcuts }: NavigationProps) {
  return (
    <nav aria-label="Console" className="flex min-h-0 w-full flex-1 flex-col overflow-y-auto p-2">
      <div className="flex items-center gap-2 px-2 pb-3 pt-1.5 text-lg font-semibold">
        <Mark className="size-5" />
        agentserver
      </div>
      {AREA_GROUPS.map((areas, index) => (
        <ul key={areas[0]?.path} className={`flex flex-col gap-px ${index > 0 ? 'pt-3' : ''}`}>
          {areas.map((area) => (
            <li key={area.path}>
              <AreaLink {...area} />
            </li>
          ))}
        </ul>
      ))}
      <div className="mt-auto flex flex-col gap-px pt-4 text-sm">
        <button type="button" className={`${ITEM} ${QUIET} text-left`} onClick={openSearch}>
          <Search aria-hidden="true" className={ICON} />
          <span className="flex-1 whitespace-nowrap">Search</span>
          <kbd className="font-sans">/</kbd>
        </button>
        <button type="button" className={`${ITEM} ${QUIET} text-left`} onClick={openShortcuts}>
          <Keyboard aria-hidden="true" className={ICON} />
          <span className="flex-1">Shortcuts</span>
          <kbd className="font-sans">?</kbd>
        </button>
        <ThemeSwitch />
        <StatusLine />
      </div>
    </nav>
  )
}

function AreaLink({ path, name, icon: Icon }: Area) {
  const current = useLocation().path.split('/')[0] === path
  const { needed } = useActivity()
  return (
    <Link
      to={path}
      current={current}
      className={`${ITEM} ${current ? 'bg-chosen font-medium text-text' : QUIET}`}
    >
      <Icon aria-hidden="true" className={`${ICON} ${current ? 'text-accent' : ''}`} />
      <span className="flex-1">{name}</span>
      {path === '' && needed > 0 && (
        <span className="text-sm text-suspended">
          {countText(needed)}
          <span className="sr-only"> need you</span>
        </span>
      )}
    </Link>
  )
}
