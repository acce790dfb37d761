import { AREAS } from './areas.ts'
import { useActivity } from '../live/use-activity.ts'
import { Link } from '../router/link.tsx'
import { useLocation } from '../router/use-location.ts'
import { countText } from '../ui/time/format-time.ts'
import { StatusLine } from './status-line.tsx'
import { ThemeSwitch } from './theme-switch.tsx'

export interface NavigationProps {
  readonly openPalette: () => void
  readonly openShortcuts: () => void
}

const BUTTON =
  'flex w-full items-center justify-between rounded-sm px-2 py-1 text-left text-dim hover:bg-hover hover:text-text'

/** The navigation, and the status of the server. */
export function Navigation({ openPalette, openShortcuts }: NavigationProps) {
  const { path } = useLocation()
  const area = path.split('/')[0] ?? ''
  const { needed } = useActivity()
  return (
    <nav aria-label="Console" className="flex w-44 flex-col border-r border-line bg-panel p-2">
      <div className="px-2 pb-2 pt-1 font-semibold">agentserver</div>
      <ul className="flex flex-col gap-px">
        {AREAS.map(({ path: to, name }) => (
          <li key={to}>
            <Link
              to={to}
              current={to === area}
              className={`block rounded-sm px-2 py-1 ${to === area ? 'bg-chosen font-medium text-text' : 'text-dim hover:bg-hover hover:text-text'}`}
            >
              {name}
              {to === '' && needed > 0 && (
                <span className="float-right text-sm text-suspended">
                  {countText(needed)}
                  <span className="sr-only"> need you</span>
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
      <div className="mt-auto flex flex-col gap-px text-sm">
        <button type="button" className={BUTTON} onClick={openPalette}>
          Command palette <kbd className="font-sans text-xs">Ctrl K</kbd>
        </button>
        <button type="button" className={BUTTON} onClick={openShortcuts}>
          Shortcuts <kbd className="font-sans text-xs">?</kbd>
        </button>
        <ThemeSwitch />
        <StatusLine />
      </div>
    </nav>
  )
}
