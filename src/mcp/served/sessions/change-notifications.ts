import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server'
import { abortable } from '../../../lib/async/abortable.ts'
import { createDeferred } from '../../../lib/async/wake-up.ts'

const METHODS = {
  tools_list_changed: 'notifications/tools/list_changed',
  resources_list_changed: 'notifications/resources/list_changed',
  prompts_list_changed: 'notifications/prompts/list_changed',
  resource_updated: 'notifications/resources/updated',
} as const satisfies Record<ServerEvent['kind'], string>

/** A notification for clients on revision 2025-xx (MCP 2025-11-25, list and resource changes). */
export interface ChangeNotification {
  readonly jsonrpc: '2.0'
  readonly method: (typeof METHODS)[ServerEvent['kind']]
  readonly params?: { readonly uri: string }
}

/** Yields a notification per change until the signal aborts. Equal notifications that are not read yet are merged. */
export async function* changeNotifications(
  bus: Pick<ServerEventBus, 'subscribe'>,
  signal: AbortSignal,
): AsyncGenerator<ChangeNotification> {
  const changed = new Map<string, ChangeNotification>()
  let wake = createDeferred<void>()
  const stop = bus.subscribe((event) => {
    const notification = toNotification(event)
    changed.set(JSON.stringify(notification), notification)
    wake.resolve()
  })
  try {
    for (;;) {
      await abortable(wake.promise, signal).catch(() => undefined)
      if (signal.aborted) return
      wake = createDeferred()
      for (const [key, notification] of changed) {
        changed.delete(key)
        yield notification
      }
    }
  } finally {
    stop()
  }
}

function toNotification(event: ServerEvent): ChangeNotification {
  const notification = { jsonrpc: '2.0', method: METHODS[event.kind] } as const
  return event.kind === 'resource_updated' ? { ...notification, params: { uri: event.uri } } : notification
}
