import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server'
import { EventHub } from '../../../lib/async/event-hub.ts'
import { promptList } from '../register-prompts.ts'
import { resourceList, templateList } from '../register-resources.ts'
import type { ServedMcpServer } from '../served-server.ts'
import { toolList } from '../served-tools.ts'

/** The lists of a server, by the event that is published when they change. */
const LISTS = {
  tools_list_changed: (server: ServedMcpServer): unknown => toolList(server),
  resources_list_changed: (server: ServedMcpServer): unknown => [resourceList(server), templateList(server)],
  prompts_list_changed: (server: ServedMcpServer): unknown => promptList(server),
} as const
type ListEvent = keyof typeof LISTS
const EVENTS = Object.keys(LISTS) as ListEvent[]

const UPDATED = 'used'

/** Publishes an event when a reload changes the tools, resources or prompts of a served MCP server. */
export class ListChanges {
  readonly #hub = new EventHub<ServerEvent>()
  readonly #updates = new EventHub()
  #servers: ReadonlyMap<string, ServedMcpServer> = new Map()
  #known: ReadonlyMap<string, string> | undefined

  /** Replaces the served servers and publishes the lists that changed. */
  setServers(servers: readonly ServedMcpServer[]): void {
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
    this.#updates.publish(UPDATED)
  }

  /** The currently served server with this id. */
  server(id: string): ServedMcpServer | undefined {
    return this.#servers.get(id)
  }

  /** Calls `listener` after each {@link setServers}. Returns a function that stops it. */
  onServersChanged(listener: () => void): () => void {
    return this.#updates.subscribe(UPDATED, listener)
  }

  /** The events of one server, and those of `updates`, as an event bus for the MCP SDK. */
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
