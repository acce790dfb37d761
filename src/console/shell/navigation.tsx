import { ChevronRight, Ellipsis, Keyboard, Search, Menu, Inbox } from 'lucide-react'
import { useState, useSyncExternalStore, useLayoutEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import type { Credentials } from '../api/credentials.ts'
import { useEndpoint } from '../api/use-endpoint.ts'
import { useServerStatus } from '../live/config-status.ts'
import type { LiveState } from '../live/live-connection.ts'
import { useUsage } from '../usage/use-usage.ts'
import { useLiveState } from '../live/use-topic.ts'
import { Link } from '../router/link.tsx'
import { useLocation } from '../router/use-location.ts'
import { useServices } from '../services/services-context.tsx'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icon.tsx'
import { countText } from '../ui/time/format-time.ts'
import { areaOf, MACHINES, MAIN_AREAS, MORE_AREAS } from './areas.ts'
import type { Area } from './areas.ts'
import { THEMES } from './theme.ts'

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
      <AreaList areas={MAIN_AREAS} />
      <More />
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

function AreaList({ areas }: { readonly areas: readonly Area[] }) {
  return (
    <ul className="flex flex-col gap-px">
      {areas.map((area) => (
        <li key={area.path}>
          <AreaLink {...area} />
        </li>
      ))}
    </ul>
  )
}

/** The sections that are used less often, folded except on their own pages. */
function More() {
  const area = areaOf(useLocation().path)
  const isWithin = MORE_AREAS.some((one) => one === area)
  const [choice, setChoice] = useState<boolean>()
  const [wasWithin, setWasWithin] = useState(isWithin)
  if (wasWithin !== isWithin) {
    setWasWithin(isWithin)
    setChoice(undefined)
  }
  const isOpen = choice ?? isWithin
  const { data: machines = [] } = useEndpoint('listMachines', {}, { enabled: isOpen })
  const shown = MORE_AREAS.filter((one) => one.path !== MACHINES || one === area || machines.length > 1)
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        className={`${ITEM} ${QUIET} mt-px text-left`}
        onClick={() => setChoice(!isOpen)}
      >
        <Ellipsis aria-hidden="true" className={ICON} />
        <span className="flex-1">More</span>
        <ChevronRight
          aria-hidden="true"
          className={`size-3.5 transition-transform duration-120 ${isOpen ? 'rotate-90' : ''}`}
        />
      </button>
      {isOpen && (
        <div className="ml-4 mt-px border-l border-line pl-1">
          <AreaList areas={shown} />
        </div>
      )}
    </>
  )
}

function AreaLink({ path, name, icon: Icon }: Area) {
  const current = useLocation().path.split('/')[0] === path
  const { needed } = useUsage()
  return (
    <Link
      to={path}
      current={current}
      className={`${ITEM} ${current ? 'bg-chosen font-medium text-text' : QUIET}`}
    >
      <Icon aria-hidden="true" className={`${ICON} ${current ? 'text-accent' : ''}`} />
      <span className="flex-1">{name}</span>
      {path === 'inbox' && needed > 0 && (
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

/** The mark of agentserver: an agent (the ring) on a path of steps (the stem), together an "a". As in icon.svg. */
export function Mark({ className = '' }: { readonly className?: string }) {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true" className={`shrink-0 ${className}`}>
      <rect width="16" height="16" rx="4" className="fill-accent" />
      <g fill="none" strokeWidth="1.8" strokeLinecap="round" className="stroke-on-accent">
        <circle cx="7.2" cy="8.4" r="2.9" />
        <path d="M11.6 4.6v7" />
      </g>
      <circle cx="11.6" cy="4.1" r="1.3" className="fill-on-accent" />
    </svg>
  )
}

interface TopBarProps {
  readonly isOpen: boolean
  readonly openNavigation: () => void
  readonly openSearch: () => void
}

const BUTTON = 'grid size-9 place-items-center rounded-md text-dim hover:bg-hover hover:text-text'

/** The bar of narrow windows, with the button that opens the navigation. */
export function TopBar({ isOpen, openNavigation, openSearch }: TopBarProps) {
  const { needed } = useUsage()
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
      </Link>
      <Link
        to="inbox"
        label={needed > 0 ? `Inbox, ${countText(needed)} need you` : 'Inbox'}
        className={`ml-auto flex h-9 min-w-9 items-center justify-center gap-1.5 rounded-md px-2 hover:bg-hover ${needed > 0 ? 'text-suspended' : 'text-dim'}`}
      >
        <Inbox aria-hidden="true" className="size-5" />
        {needed > 0 && countText(needed)}
      </Link>
      <button type="button" aria-label="Search" className={BUTTON} onClick={openSearch}>
        <Search aria-hidden="true" className="size-5" />
      </button>
    </header>
  )
}

interface NavigationDrawerProps {
  readonly close: () => void
  readonly children: ReactNode
}

/** The folded navigation of narrow windows: a modal dialog at the edge. The browser keeps the focus in it. */
export function NavigationDrawer({ close, children }: NavigationDrawerProps) {
  const ref = useRef<HTMLDialogElement>(null)
  // the focus returns when the dialog is closed before it is removed
  useLayoutEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    dialog?.querySelector<HTMLElement>('[aria-current]')?.focus()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={ref}
      id="navigation"
      aria-label="Navigation"
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
      onClick={(event) => {
        // the backdrop, or a link of the current page, which navigates nowhere
        if (event.target === ref.current || (event.target as Element).closest('a')) close()
      }}
      className="m-0 h-dvh max-h-dvh w-64 max-w-[85vw] border-r border-line bg-panel p-0 text-text shadow-float backdrop:bg-shade open:flex open:flex-col"
    >
      {children}
    </dialog>
  )
}

/** Removes key and token, and the data fetched with them. */
export function useClearCredentials(): () => void {
  const { credentials, queries, live } = useServices()
  return () => {
    credentials.clear()
    live.retry()
    void queries.resetQueries()
  }
}
