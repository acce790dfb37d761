import { Keyboard, Search } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import type { Credentials } from '../api/credentials.ts'
import { useServerStatus } from '../live/config-status.ts'
import type { LiveState } from '../live/live-connection.ts'
import { useActivity } from '../live/use-activity.ts'
import { useLiveState } from '../live/use-topic.ts'
import { Link } from '../router/link.tsx'
import { useLocation } from '../router/use-location.ts'
import { useServices } from '../services/services-context.tsx'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icon.tsx'
import { countText } from '../ui/time/format-time.ts'
import { AREA_GROUPS } from './areas.ts'
import type { Area } from './areas.ts'
import { THEMES } from './theme.ts'
import { useClearCredentials } from './use-clear-credentials.ts'
import { Mark } from './mark.tsx'

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

const CONNECTION: Readonly<Record<LiveState, { text: string; icon: IconName; tone: string }>> = {
  connecting: { text: 'Connecting', icon: 'idle', tone: 'text-dim' },
  open: { text: 'Live', icon: 'ok', tone: 'text-ok' },
  lost: { text: 'Disconnected', icon: 'error', tone: 'text-error' },
  refused: { text: 'Not ready', icon: 'error', tone: 'text-error' },
  polling: { text: 'Polling', icon: 'running', tone: 'text-suspended' },
}

/** Connection, configuration and credentials. */
function StatusLine() {
  const { credentials } = useServices()
  const clearCredentials = useClearCredentials()
  const { text, icon, tone } = CONNECTION[useLiveState()]
  const { data } = useServerStatus()
  const held = useSyncExternalStore(credentials.subscribe, () => accessText(credentials))
  const config = data && (data.config.state === 'ok' ? 'config ok' : 'config error')
  return (
    <div className="px-2 pb-1 pt-1 text-sm text-dim" role="status" aria-label="Server">
      <div>
        <Icon name={icon} className={`mr-1 inline ${tone}`} />
        {text}
      </div>
      {data && (
        <div>
          generation {data.generation.number},{' '}
          <span className={data.config.state === 'ok' ? '' : 'text-error'}>{config}</span>
        </div>
      )}
      {data && <div>{[data.production ? 'production' : 'development', held].filter(Boolean).join(', ')}</div>}
      {hasSecrets(credentials) && (
        <button type="button" onClick={clearCredentials} className="text-accent hover:underline">
          Clear credentials
        </button>
      )}
    </div>
  )
}

function hasSecrets(credentials: Credentials): boolean {
  return credentials.get('key') !== undefined || credentials.get('token') !== undefined
}

function accessText(credentials: Credentials): string {
  const held = [
    ...(credentials.bypass ? ['dev bypass'] : []),
    ...(credentials.get('key') === undefined ? [] : ['console key']),
    ...(credentials.get('token') === undefined ? [] : ['user token']),
  ]
  return held.join(', ')
}

/** Switch between light, dark and the system theme. */
function ThemeSwitch() {
  const { theme } = useServices()
  const choice = useSyncExternalStore(theme.subscribe, theme.choice)
  return (
    <fieldset className="my-1 flex rounded-sm border border-line">
      <legend className="sr-only">Theme</legend>
      {THEMES.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === choice}
          onClick={() => theme.choose(one)}
          className={`flex-1 px-1 py-0.5 text-sm capitalize ${one === choice ? 'bg-chosen text-text' : 'text-dim hover:bg-hover'}`}
        >
          {one}
        </button>
      ))}
    </fieldset>
  )
}
