import { findResource, type McpResource, type WatchContext } from '../served-resource.ts'
import type { ServedMcpServer } from '../served-server.ts'

export interface WatchOptions extends Omit<WatchContext, 'uri' | 'params' | 'signal'> {
  /** The server as it is served now. */
  readonly server: () => ServedMcpServer | undefined
  readonly changed: (uri: string) => void
}

interface Watched {
  readonly resource: McpResource
  readonly abort: AbortController
}

/** Watches resources for one client that listens. */
export class WatchedResources {
  readonly #options: WatchOptions
  readonly #watched = new Map<string, Watched>()

  constructor(options: WatchOptions) {
    this.#options = options
  }

  /**
   * Watches these and no others. One that a reload has made anew since the last time counts as changed.
   */
  watch(uris: ReadonlySet<string>): void {
    for (const uri of this.#watched.keys()) if (!uris.has(uri)) this.#stop(uri)
    const resources = this.#options.server()?.resources ?? []
    for (const uri of uris) {
      const found = findResource(resources, uri)
      const before = this.#watched.get(uri)
      if (before && before.resource === found?.resource) continue
      this.#stop(uri)
      if (!found) continue
      this.#start(uri, found)
      if (before) this.#options.changed(uri)
    }
  }

  close(): void {
    for (const uri of this.#watched.keys()) this.#stop(uri)
  }

  #stop(uri: string): void {
    this.#watched.get(uri)?.abort.abort()
    this.#watched.delete(uri)
  }

  #start(uri: string, { resource, params }: Pick<WatchContext, 'params'> & Pick<Watched, 'resource'>): void {
    const abort = new AbortController()
    const { signal } = abort
    this.#watched.set(uri, { resource, abort })
    const { server: _, changed, ...context } = this.#options
    const tell = () => {
      if (!signal.aborted) changed(uri)
    }
    const failed = (error: unknown) =>
      context.logger.warn({ err: error, uri }, `MCP resource "${resource.name}" could not be watched`)
    try {
      Promise.resolve(resource.watch?.({ ...context, uri, params, signal }, tell)).catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}
