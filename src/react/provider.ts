import { createContext, createElement, useContext, useMemo, useRef } from 'react'
import type { ReactElement, ReactNode } from 'react'
import { createClient } from '../client/create-client.ts'
import type { Client } from '../client/create-client.ts'
import { requireKind } from '../lib/require-object.ts'
import { FollowedConversation } from './followed-conversation.ts'
import { FollowedExecution } from './followed-execution.ts'
import type { LiveStore } from './live-store.ts'
import { LastStart } from './last-start.ts'

/** Props of `AgentServerProvider`. */
export interface AgentServerProviderProps {
  /** The address of the server, such as `https://agents.example.com`, or in browsers a path such as `/agents`. */
  readonly url: string
  /**
   * User token, sent as `Authorization: Bearer …`. With another string, everything is read again. A function is called for
   * each request, and may refresh the token.
   */
  readonly token?: string | (() => string | Promise<string>) | undefined
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  /** Components that use the hooks. */
  readonly children?: ReactNode
}

/** Of what is not shown any more: more than a person goes back to. */
const MAX_STORES = 100

type Token = AgentServerProviderProps['token']

/** What the components of a page share: what they show of one execution comes from one stream. */
export class PageStores {
  readonly client: Client
  readonly #stores = new Map<string, LiveStore<object>>()

  constructor(client: Client) {
    this.client = client
  }

  execution(workflowId: string, executionId: string): FollowedExecution {
    return this.#shared(['execution', workflowId, executionId], () => {
      return new FollowedExecution(this.client.api, workflowId, executionId)
    })
  }

  started(workflowId: string, key: string): LastStart {
    return this.#shared(['started', workflowId, key], () => new LastStart())
  }

  conversation(agentId: string, conversationId: string, userId: string | undefined): FollowedConversation {
    return this.#shared(['conversation', agentId, conversationId, userId], () => {
      return new FollowedConversation(this.client.api, { agentId, conversationId, userId })
    })
  }

  #shared<Store extends LiveStore<object>>(
    path: readonly (string | undefined)[],
    create: () => Store,
  ): Store {
    const key = JSON.stringify(path)
    const known = this.#stores.get(key)
    if (known) return known as Store
    const oldest = [...this.#stores].find(([, { isShown }]) => !isShown)
    if (this.#stores.size >= MAX_STORES && oldest) this.#stores.delete(oldest[0])
    const created = create()
    this.#stores.set(key, created)
    return created
  }
}

const Stores = createContext<PageStores | undefined>(undefined)

/**
 * Names the server for the hooks below it. What they have read is kept while they are not shown, until the provider is
 * removed or gets another `url` or `token`. Nothing is requested while a page is rendered on a server.
 *
 * @example
 * <AgentServerProvider url="https://agents.example.com" token={session.token}>
 *   <Order id="o-17" />
 * </AgentServerProvider>
 */
export function AgentServerProvider(props: AgentServerProviderProps): ReactElement {
  const { url, token, children } = props
  requireKind('AgentServerProvider', 'url', url, 'string')
  const latest = useRef(props)
  latest.current = props
  // a function in place is another one at each render
  const identity = typeof token === 'string' ? token : undefined
  const stores = useMemo(
    () =>
      new PageStores(pageClient(url, () => ({ ...latest.current, token: identity ?? latest.current.token }))),
    [url, identity],
  )
  return createElement(Stores, { value: stores }, children)
}

/** The client of the nearest provider, for requests that the hooks don't make. */
export function useAgentServer(): Client {
  return usePageStores().client
}

/** @throws Error outside of a provider. */
export function usePageStores(): PageStores {
  const stores = useContext(Stores)
  if (!stores)
    throw new Error('The hooks of agentserver/react need an <AgentServerProvider url="…"> around them')
  return stores
}

function pageClient(url: string, props: () => Pick<AgentServerProviderProps, 'token' | 'fetch'>): Client {
  return createClient({
    baseUrl: absoluteUrl(url),
    fetch: async (request) => {
      const { token, fetch = (sent: Request) => globalThis.fetch(sent) } = props()
      const value = await tokenOf(token)
      if (value !== undefined) request.headers.set('Authorization', `Bearer ${value}`)
      return fetch(request)
    },
  })
}

function tokenOf(token: Token): string | undefined | Promise<string> {
  return typeof token === 'function' ? token() : token
}

/** On a server there is no page whose address a path could be relative to; nothing is requested there. */
function absoluteUrl(url: string): string {
  const { location } = globalThis as { readonly location?: { readonly href: string } }
  return location && !URL.canParse(url) ? new URL(url, location.href).href : url
}
