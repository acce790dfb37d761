import type { QueryClient } from '@tanstack/react-query'
import type { Addresses } from '../api/addresses.ts'
import { Api } from '../api/api.ts'
import { Credentials } from '../api/credentials.ts'
import { channelPath } from '../api/endpoint-table.ts'
import { createQueryClient } from '../api/query-client.ts'
import { ApiError } from '../../client/api-error.ts'
import { EditorChoice } from '../code/editor-choice.ts'
import { LiveConnection } from '../live/live-connection.ts'
import { SeenFailures } from '../live/seen-failures.ts'
import type { Route } from '../router/route.ts'
import { Router } from '../router/router.ts'
import { Commands } from '../commands/commands.ts'
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
  readonly queries: QueryClient
  readonly theme: Theme
  readonly editor: EditorChoice
  readonly keys: KeyBindings
  readonly commands: Commands
  readonly toasts: Toasts
  readonly seenFailures: SeenFailures
}

export function createServices(addresses: Addresses, routes: readonly Route[]): Services {
  const credentials = new Credentials()
  const api = new Api(addresses, credentials)
  const live = new LiveConnection({
    url: () => socketUrl(addresses, credentials),
    reachable: () => isReachable(api),
  })
  return {
    addresses,
    api,
    credentials,
    live,
    router: new Router(routes, addresses.console),
    queries: createQueryClient(),
    theme: new Theme(),
    editor: new EditorChoice(),
    keys: new KeyBindings(),
    commands: new Commands(),
    toasts: new Toasts(),
    seenFailures: new SeenFailures(),
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

async function isReachable(api: Api): Promise<boolean> {
  try {
    await api.call('getObservabilityStatus', { quiet: true })
    return true
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}
