import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server'
import { abortable } from '../lib/abortable.ts'
import { deferred } from '../lib/deferred.ts'
import { EventHub } from '../lib/event-hub.ts'
import type { ServedMcpServer } from './served-server.ts'
import { servedTools } from './served-tools.ts'

/** What clients of the 2025 revision are told (MCP 2025-11-25, server/tools, list changed notification). */
export interface ListChangedMessage {
  readonly jsonrpc: '2.0'
  readonly method: 'notifications/tools/list_changed'
}

/** Tells those who listen to a served MCP server that another configuration gave it other tools. */
export class ListChanges {
  readonly #hub = new EventHub<ServerEvent>()
  #known: ReadonlyMap<string, string> | undefined

  /** Takes the servers that are served from now on. */
  use(servers: readonly ServedMcpServer[]): void {
    const before = this.#known
    this.#known = new Map(servers.map((server) => [server.id, toolsOf(server)]))
    for (const [id, tools] of before ?? [])
      if (this.#known.get(id) !== tools) this.#hub.publish(id, { kind: 'tools_list_changed' })
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
    let changed = deferred<void>()
    const stop = this.#hub.subscribe(id, () => changed.resolve())
    try {
      for (;;) {
        await abortable(changed.promise, signal).catch(() => undefined)
        if (signal.aborted) return
        changed = deferred()
        yield { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }
      }
    } finally {
      stop()
    }
  }
}

function toolsOf(server: ServedMcpServer): string {
  return JSON.stringify(servedTools(server).map(({ call: _, ...tool }) => tool))
}
