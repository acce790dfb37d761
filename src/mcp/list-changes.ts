import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server'
import { abortable } from '../lib/abortable.ts'
import { deferred } from '../lib/deferred.ts'
import { EventHub } from '../lib/event-hub.ts'
import { promptList } from './offer-prompts.ts'
import { resourceList, templateList } from './offer-resources.ts'
import type { ServedMcpServer } from './served-server.ts'
import { toolList } from './served-tools.ts'

/** What a server offers, and the event (of 2026) and message (of 2025) that tell of other ones. */
const LISTS = {
  tools_list_changed: {
    method: 'notifications/tools/list_changed',
    read: (server: ServedMcpServer): unknown => toolList(server),
  },
  resources_list_changed: {
    method: 'notifications/resources/list_changed',
    read: (server: ServedMcpServer): unknown => [resourceList(server), templateList(server)],
  },
  prompts_list_changed: {
    method: 'notifications/prompts/list_changed',
    read: (server: ServedMcpServer): unknown => promptList(server),
  },
} as const
type ListEvent = keyof typeof LISTS
const EVENTS = Object.keys(LISTS) as ListEvent[]

/** What clients of the 2025 revisions are told (MCP 2025-11-25, list changed notifications). */
export interface ListChangedMessage {
  readonly jsonrpc: '2.0'
  readonly method: (typeof LISTS)[ListEvent]['method']
}

/** Tells those who listen to a served MCP server that another configuration changed what it offers. */
export class ListChanges {
  readonly #hub = new EventHub<ServerEvent>()
  #known: ReadonlyMap<string, string> | undefined

  /** Takes the servers that are served from now on. */
  use(servers: readonly ServedMcpServer[]): void {
    const before = this.#known
    const now = servers.flatMap((server) =>
      EVENTS.map((kind) => [keyOf(server.id, kind), JSON.stringify(LISTS[kind].read(server))] as const),
    )
    this.#known = new Map(now)
    for (const [key, list] of before ?? []) {
      if (this.#known.get(key) === list) continue
      const [kind = '', ...id] = key.split(':')
      this.#hub.publish(id.join(':'), { kind: kind as ListEvent })
    }
  }

  /** The changes of one server, as the protocol's package takes them. */
  bus(id: string): ServerEventBus {
    return {
      publish: (event) => this.#hub.publish(id, event),
      subscribe: (listener) => this.#hub.subscribe(id, listener),
    }
  }

  /** A message after each change, until the signal aborts; several before the reader comes back are one. */
  async *messages(id: string, signal: AbortSignal): AsyncGenerator<ListChangedMessage> {
    const changed = new Set<ListEvent>()
    let wake = deferred<void>()
    const stop = this.#hub.subscribe(id, ({ kind }) => {
      if (kind !== 'resource_updated') changed.add(kind)
      wake.resolve()
    })
    try {
      for (;;) {
        await abortable(wake.promise, signal).catch(() => undefined)
        if (signal.aborted) return
        wake = deferred()
        for (const kind of changed) {
          changed.delete(kind)
          yield { jsonrpc: '2.0', method: LISTS[kind].method }
        }
      }
    } finally {
      stop()
    }
  }
}

function keyOf(id: string, kind: ListEvent): string {
  return `${kind}:${id}`
}
