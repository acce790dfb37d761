import type { ServerEventBus } from '@modelcontextprotocol/server'
import type { ListChanges } from './list-changes.ts'
import type { ResourceSubscriptions } from './resource-subscriptions.ts'
import { WatchedResources } from './watched-resources.ts'
import type { WatchedResourcesOptions } from './watched-resources.ts'

export interface UpdateOptions extends Omit<WatchedResourcesOptions, 'server' | 'changed'> {
  readonly serverId: string
  readonly subscriptions: ResourceSubscriptions
  readonly changes: ListChanges
}

/**
 * Events for the resources that a client subscribed to, watched while the client is connected. After a reconnect
 * every subscribed resource counts as changed, because changes in between were not observed.
 */
export function resourceUpdates(options: UpdateOptions): Pick<ServerEventBus, 'subscribe'> {
  const { serverId, subscriptions, changes, ...context } = options
  return {
    subscribe: (listener) => {
      const changed = (uri: string) => listener({ kind: 'resource_updated', uri })
      const watched = new WatchedResources({ ...context, server: () => changes.server(serverId), changed })
      const watch = () => watched.watch(subscriptions.uris)
      if (subscriptions.unwatched) for (const uri of subscriptions.uris) changed(uri)
      subscriptions.unwatched = false
      watch()
      const stops = [subscriptions.onChange(watch), changes.onServersChanged(watch)]
      return () => {
        for (const stop of stops) stop()
        watched.close()
        subscriptions.unwatched = true
      }
    },
  }
}
