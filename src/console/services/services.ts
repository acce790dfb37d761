import { QueryClient } from '@tanstack/react-query'
import type { Addresses } from '../api/addresses.ts'
import { Api, channelPath } from '../api/api.ts'
import { Credentials } from '../api/credentials.ts'
import { ApiError } from '../../client/api-error.ts'
import { EditorChoice } from '../code/editor-choice.ts'
import { LiveConnection } from '../live/live-connection.ts'
import type { Reach } from '../live/live-connection.ts'
import { PageBuild } from '../live/page-build.ts'
import { Recovery } from '../live/recovery.ts'
import { SeenFailures } from '../live/seen-failures.ts'
import { RecentPages } from '../search/recent-pages.ts'
import { SavedViews } from '../search/saved-views.ts'
import type { Route } from '../router/route.ts'
import { Router } from '../router/router.ts'
import { Commands } from '../search/commands.ts'
import { KeyBindings } from '../keys/key-bindings.ts'
import { Theme } from '../shell/theme.ts'
import { Toasts } from '../ui/dialog/toasts.ts'

/** The services of the console, created once and passed by context. */
export interface Services {
  readonly addresses: Addresses
  readonly api: Api
  readonly credentials: Credentials
  readonly live: LiveConnection
  readonly router: Router
  readonly build: PageBuild
  readonly queries: QueryClient
  readonly theme: Theme
  readonly editor: EditorChoice
  readonly keys: KeyBindings
  readonly commands: Commands
  readonly toasts: Toasts
  readonly seenFailures: SeenFailures
  readonly recent: RecentPages
  readonly views: SavedViews
}

export function createServices(addresses: Addresses, routes: readonly Route[]): Services {
  const credentials = new Credentials()
  const queries = createQueryClient()
  const api: Api = new Api(addresses, credentials, () => recovery.failed())
  const live = new LiveConnection({
    url: () => socketUrl(addresses, credentials),
    reach: () => reachOf(api),
  })
  const refetchFailed = () =>
    void queries.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' })
  const recovery = new Recovery({
    isReady: async () => (await fetch(api.urlOf('getReadiness', {})).catch(() => undefined))?.ok === true,
    recover: () => {
      refetchFailed()
      live.resync()
    },
  })
  const router: Router = new Router(routes, addresses.console, () => build.state() !== 'current')
  const build = new PageBuild({
    fetchPage: () => fetchPage(addresses),
    script: addresses.script,
    visit: () => router.location()?.visit ?? 0,
  })
  let wasLost = false
  live.watch(() => {
    const isOpen = live.state() === 'open' || live.state() === 'polling'
    if (isOpen && wasLost) {
      recovery.stop()
      refetchFailed()
      void build.check()
    }
    wasLost = !isOpen
  })
  return {
    addresses,
    api,
    credentials,
    live,
    router,
    build,
    queries,
    theme: new Theme(),
    editor: new EditorChoice(),
    keys: new KeyBindings(),
    commands: new Commands(),
    toasts: new Toasts(),
    seenFailures: new SeenFailures(),
    recent: new RecentPages(),
    views: new SavedViews(),
  }
}

/** URL of the console channel. Browsers set no headers on a handshake, so the credential is in the query. */
function socketUrl({ api, origin }: Addresses, credentials: Credentials): string {
  const url = new URL(api + channelPath('console').slice(1), origin.replace(/^http/, 'ws'))
  const key = credentials.get('key')
  if (key !== undefined) url.searchParams.set('key', key)
  else if (credentials.bypass) url.searchParams.set('dev', 'true')
  return url.href
}

async function reachOf(api: Api): Promise<Reach> {
  try {
    await api.call('getObservabilityStatus', { quiet: true })
    return 'ok'
  } catch (error) {
    if (error instanceof ApiError) return error.status === 0 ? 'unreachable' : 'refused'
    throw error
  }
}

/** The page of the console as the server has it now; undefined when it does not respond. */
async function fetchPage({ console: path }: Addresses): Promise<string | undefined> {
  try {
    const response = await fetch(path, { cache: 'no-store' })
    return response.ok ? await response.text() : undefined
  } catch {
    // checked again when the connection is back
    return undefined
  }
}

/** The cache of fetched data. Failed requests are retried once before the error is shown. */
function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // the server is often on this machine, and reachable without a network
        networkMode: 'always',
        staleTime: 2000,
        retry: (failures, error) => failures < 1 && isRetryable(error),
        retryDelay: 300,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  })
}

/** Whether a retry could succeed. */
function isRetryable(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500
}
