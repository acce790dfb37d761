import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server'
import { abortable } from '../../../lib/async/abortable.ts'
import { deferred } from '../../../lib/async/deferred.ts'

const METHODS = {
  tools_list_changed: 'notifications/tools/list_changed',
  resources_list_changed: 'notifications/resources/list_changed',
  prompts_list_changed: 'notifications/prompts/list_changed',
  resource_updated: 'notifications/resources/updated',
} as const satisfies Record<ServerEvent['kind'], string>

/** What clients of the 2025 revisions are told (MCP 2025-11-25, notifications of lists and resources). */
export interface ChangeMessage {
  readonly jsonrpc: '2.0'
  readonly method: (typeof METHODS)[ServerEvent['kind']]
  readonly params?: { readonly uri: string }
}

/** A message after each change, until the signal aborts; equal ones before the reader comes back are one. */
export async function* changeMessages(
  bus: Pick<ServerEventBus, 'subscribe'>,
  signal: AbortSignal,
): AsyncGenerator<ChangeMessage> {
  const changed = new Map<string, ChangeMessage>()
  let wake = deferred<void>()
  const stop = bus.subscribe((event) => {
    const message = messageOf(event)
    changed.set(JSON.stringify(message), message)
    wake.resolve()
  })
  try {
    for (;;) {
      await abortable(wake.promise, signal).catch(() => undefined)
      if (signal.aborted) return
      wake = deferred()
      for (const [key, message] of changed) {
        changed.delete(key)
        yield message
      }
    }
  } finally {
    stop()
  }
}

function messageOf(event: ServerEvent): ChangeMessage {
  const message = { jsonrpc: '2.0', method: METHODS[event.kind] } as const
  return event.kind === 'resource_updated' ? { ...message, params: { uri: event.uri } } : message
}
