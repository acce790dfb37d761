import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server'
import { EventHub } from '../../../lib/async/event-hub.ts'
import { promptList } from '../register-prompts.ts'
import { resourceList, templateList } from '../register-resources.ts'
import type { ServedMcpServer } from '../served-server.ts'
import { toolList } from '../served-tools.ts'

/** What a server offers, by the event that tells of other ones. */
const LISTS = {
  tools_list_changed: (server: ServedMcpServer): unknown => toolList(server),
  resources_list_changed: (server: ServedMcpServer): unknown => [resourceList(server), templateList(server)],
  prompts_list_changed: (server: ServedMcpServer): unknown => promptList(server),
} as const
type ListEvent = keyof typeof LISTS
const EVENTS = Object.keys(LISTS) as ListEvent[]

const USED = 'used'

/** Tells those who listen to a served MCP server that another configuration changed what it offers. */
export class ListChanges {
  readonly #hub = new EventHub<ServerEvent>()
  readonly #uses = new EventHub()
  #servers: ReadonlyMap<string, ServedMcpServer> = new Map()
  #known: ReadonlyMap<string, string> | undefined

  /** Takes the servers that are served from now on. */
  use(servers: readonly ServedMcpServer[]): void {
    const before = this.#known
    const now = servers.flatMap((server) =>
      EVENTS.map((kind) => [keyOf(server.id, kind), JSON.stringify(LISTS[kind](server))] as const),
    )
    this.#servers = new Map(servers.map((server) => [server.id, server]))
    this.#known = new Map(now)
    for (const [key, list] of before ?? []) {
      if (this.#known.get(key) === list) continue
      const [kind = '', ...id] = key.split(':')
      this.#hub.publish(id.join(':'), { kind: kind as ListEvent })
    }
    this.#uses.publish(USED)
  }

  /** The server of that id as it is served now. */
  server(id: string): ServedMcpServer | undefined {
    return this.#servers.get(id)
  }

  /** Calls `listener` after each {@link use}, until the returned function is called. */
  onUse(listener: () => void): () => void {
    return this.#uses.subscribe(USED, listener)
  }

  /** The changes of one server, as the protocol's package takes them, and those of resources with them. */
  bus(id: string, updates?: Pick<ServerEventBus, 'subscribe'>): ServerEventBus {
    return {
      publish: (event) => this.#hub.publish(id, event),
      subscribe: (listener) => {
        const stops = [this.#hub.subscribe(id, listener), updates?.subscribe(listener)]
        return () => {
          for (const stop of stops) stop?.()
        }
      },
    }
  }
}

function keyOf(id: string, kind: ListEvent): string {
  return `${kind}:${id}`
}
