import { useState, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'
import { AREAS } from './areas.ts'
import { useServices } from '../services/services-context.tsx'
import { useActivityUpdates } from '../live/use-activity.ts'
import { BuildBanner } from './build-banner.tsx'
import { ConnectionBanner } from './connection-banner.tsx'
import { Navigation } from './navigation/navigation.tsx'
import { NavigationDrawer } from './navigation/navigation-drawer.tsx'
import { TopBar } from './navigation/top-bar.tsx'
import { useLocation } from '../router/use-location.ts'
import { NARROW, useMedia } from '../ui/layout/use-media.ts'
import { useCommands } from '../commands/use-commands.ts'
import { useConfigProblem } from './use-config-problem.ts'
import { useClearCredentials } from './use-clear-credentials.ts'
import { useKeys } from '../keys/use-keys.ts'
import { useOverlays } from './use-overlays.ts'

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
  useActivityUpdates()
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
    ...AREAS.map(({ path, name }) => ({
      name,
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
        <ConnectionBanner />
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
