import type { EventResult } from '../../contract/endpoints/workflow.ts'
import type { EventToSend } from './event-to-send.ts'
import { currentServer } from './current-server.ts'

/**
 * Sends an event from code that a server runs, such as a route: resumes the executions that wait for it, and starts the
 * workflows that it starts (`on`). Resolves when the event and the executions are stored.
 *
 * @returns the id of the event, and the ids of the executions that go on with it and that it has started
 * @throws an error with the `code` `invalid_input` when the name is no id, or the data does not match the schema of a step
 *   that waits for it, and `unavailable` outside of a server
 *
 * @example
 * const { resumed } = await sendEvent({ name: 'payment', key: 'A-1', data: { amount: 40 }, id: 'evt_123' })
 */
export async function sendEvent(event: EventToSend): Promise<EventResult> {
  return currentServer('sendEvent()').sendEvent(event)
}
