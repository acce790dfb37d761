import { useState, useSyncExternalStore, useEffect } from 'react'
import type { ReactNode } from 'react'
import { useCommands } from '../search/use-commands.ts'
import { useKeys } from '../keys/use-keys.ts'
import { useUsageUpdates } from '../usage/use-usage.ts'
import { useLiveState } from '../live/use-topic.ts'
import { useVersionDifference, useConfigProblem } from '../live/config-status.ts'
import type { VersionDifference } from '../live/config-status.ts'
import { useLocation } from '../router/use-location.ts'
import { useServices } from '../services/services-context.tsx'
import { Button } from '../ui/controls/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { NARROW, useMedia } from '../ui/layout/use-media.ts'
import { AREAS } from './areas.ts'
import { NavigationDrawer, Navigation, TopBar, useClearCredentials } from './navigation.tsx'
import type * as overlays from './overlays.tsx'

type Open = 'search' | 'shortcuts' | 'navigation' | undefined

/** The frame around every screen: navigation, banners, search, shortcuts and credentials dialog. */
export function AppShell({ children }: { readonly children: ReactNode }) {
  const { router, theme, credentials } = useServices()
  const [open, setOpen] = useState<Open>()
  const prompt = useSyncExternalStore(credentials.subscribe, credentials.request)
  const problem = useConfigProblem()
  const clearCredentials = useClearCredentials()
  const isNarrow = useMedia(NARROW)
  const { visit } = useLocation()
  const [shown, setShown] = useState(visit)
  useUsageUpdates()
  const overlays = useOverlays([open, prompt, problem].some((one) => one !== undefined))
  const group = 'General'
  useKeys([
    ...AREAS.map(({ path, name, key }) => ({
      keys: `g ${key}`,
      label: name,
      group: 'Go to',
      run: () => void router.navigate(path),
    })),
    { keys: '/', label: 'Search', group, run: () => setOpen('search') },
    { keys: 'mod+k', label: 'Search', group, run: () => setOpen('search') },
    { keys: '?', label: 'Keyboard shortcuts', group, run: () => setOpen('shortcuts') },
    { keys: 'f', label: 'Filter this list', group, run: focusFilter },
  ])
  useCommands(() => [
    ...AREAS.map(({ path, name, alias }) => ({
      name,
      alias,
      group: 'Pages' as const,
      run: () => void router.navigate(path),
    })),
    { name: 'Switch theme: system, light, dark', group: 'Actions', run: () => theme.turn() },
    { name: 'Clear console key and token', group: 'Actions', run: clearCredentials },
    { name: 'Keyboard shortcuts', group: 'Actions', run: () => setOpen('shortcuts') },
  ])
  // the drawer covers the page that was chosen in it
  if (shown !== visit) {
    setShown(visit)
    if (open === 'navigation') setOpen(undefined)
  }
  const navigation = (
    <Navigation openSearch={() => setOpen('search')} openShortcuts={() => setOpen('shortcuts')} />
  )
  return (
    <div className="grid h-full grid-cols-[auto_minmax(0,1fr)] grid-rows-[minmax(0,1fr)] max-sm:grid-cols-[minmax(0,1fr)]">
      <a
        href="#content"
        className="absolute -left-96 top-1 z-10 rounded-sm bg-raised px-3 py-1 text-accent focus:left-1"
        onClick={(event) => {
          event.preventDefault()
          document.querySelector<HTMLElement>('main h1')?.focus()
        }}
      >
        Skip to content
      </a>
      {!isNarrow && <div className="flex w-50 flex-col border-r border-line bg-panel">{navigation}</div>}
      <div className="flex min-h-0 min-w-0 flex-col">
        {isNarrow && (
          <TopBar
            isOpen={open === 'navigation'}
            openNavigation={() => setOpen('navigation')}
            openSearch={() => setOpen('search')}
          />
        )}
        {overlays && problem && <overlays.FailureBar {...problem} />}
        {overlays && <overlays.FixBar />}
        <ConnectionBanner isExplained={problem !== undefined} />
        <BuildBanner />
        <main id="content" className="flex min-h-0 flex-1 flex-col overflow-auto">
          {children}
        </main>
        {overlays && <overlays.ToastList />}
      </div>
      {isNarrow && open === 'navigation' && (
        <NavigationDrawer close={() => setOpen(undefined)}>{navigation}</NavigationDrawer>
      )}
      {overlays && <overlays.UnsavedQuestion />}
      {overlays && <overlays.ControlTooltip />}
      {overlays && open === 'search' && <overlays.SearchDialog close={() => setOpen(undefined)} />}
      {overlays && open === 'shortcuts' && <overlays.ShortcutSheet close={() => setOpen(undefined)} />}
      {overlays && prompt && <overlays.CredentialsDialog key={prompt.kind} request={prompt} />}
    </div>
  )
}

function focusFilter(): void {
  document.querySelector<HTMLElement>('main [data-filter]')?.focus()
}

const CONNECTION_TEXT = {
  lost: 'The server is not responding. Reconnecting…',
  refused: 'The server responds, but does not serve data yet. This page is updated when it does.',
  polling: 'The WebSocket connection failed: this page polls the server every second.',
} as const

/** Warns that the shown data may be out of date. */
function ConnectionBanner({ isExplained }: { readonly isExplained: boolean }) {
  const { live } = useServices()
  const state = useLiveState()
  if (state === 'connecting' || state === 'open') return null
  // the bar above says why
  if (state === 'refused' && isExplained) return null
  return (
    <div
      role="status"
      className="flex items-center gap-3 border-b border-suspended bg-warning-panel px-4 py-1"
    >
      <span className="flex-1">
        <Icon name={state === 'polling' ? 'running' : 'error'} className="mr-1.5 inline text-suspended" />
        {CONNECTION_TEXT[state]}
      </span>
      <Button size="small" onClick={() => live.retry()}>
        Reconnect
      </Button>
    </div>
  )
}

const BUILD_TEXT = {
  outdated: 'The server has another version of this page.',
  incomplete: 'Part of this page could not be loaded.',
} as const

/** Says that the page does not fit the server, where a reload is left to the user: something was typed. */
function BuildBanner() {
  const { build } = useServices()
  const state = useSyncExternalStore(build.subscribe, build.state)
  const versions = useVersionDifference()
  const text = state === 'current' ? versions && versionText(versions) : BUILD_TEXT[state]
  if (text === undefined) return null
  return (
    <div
      role="status"
      className="flex items-center gap-3 border-b border-suspended bg-warning-panel px-4 py-1"
    >
      <span className="flex-1">{text}</span>
      <Button size="small" onClick={() => location.reload()}>
        Reload the page
      </Button>
    </div>
  )
}

function versionText({ page, server, isServerOlder }: VersionDifference): string {
  const text = `This page is of agentserver ${page}, the server runs ${server || 'an older version'}`
  return isServerOlder
    ? `${text}: restart the server to update it. Until then, what it does not send is shown as empty or 0.`
    : `${text}: some things may be missing.`
}

type Overlays = typeof overlays

const REST_MS = 300

/**
 * The code of the overlays. It is loaded immediately when `wanted`, else shortly after the first screen, so that it
 * is available when the server is down.
 */
function useOverlays(wanted: boolean): Overlays | undefined {
  const [loaded, setLoaded] = useState<Overlays>()
  const waiting = loaded === undefined
  useEffect(() => {
    if (!waiting) return undefined
    let current = true
    const load = () => void import('./overlays.tsx').then((found) => current && setLoaded(found), ignore)
    const timer = setTimeout(load, wanted ? 0 : REST_MS)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [waiting, wanted])
  return loaded
}

/** The server is unreachable: loading is retried when an overlay is wanted. */
function ignore(): void {
  return undefined
}
