import { findResource } from '../served-resource.ts'
import type { McpResource, WatchContext } from '../served-resource.ts'
import type { ServedMcpServer } from '../served-server.ts'

export interface WatchedResourcesOptions extends Omit<WatchContext, 'uri' | 'params' | 'signal'> {
  /** The currently served server. */
  readonly server: () => ServedMcpServer | undefined
  readonly changed: (uri: string) => void
}

interface Watched {
  readonly resource: McpResource
  readonly abort: AbortController
}

/** Watches resources for one connected client. */
export class WatchedResources {
  readonly #options: WatchedResourcesOptions
  readonly #watched = new Map<string, Watched>()

  constructor(options: WatchedResourcesOptions) {
    this.#options = options
  }

  /** Watches exactly these URIs. A resource that a reload recreated since the last call counts as changed. */
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
    const notify = () => {
      if (!signal.aborted) changed(uri)
    }
    const failed = (error: unknown) =>
      context.logger.warn({ err: error, uri }, `MCP resource "${resource.name}" could not be watched`)
    try {
      Promise.resolve(resource.watch?.({ ...context, uri, params, signal }, notify)).catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}
