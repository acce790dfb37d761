import type { EventResult } from '../contract/endpoints/workflow.ts'
import type { InferInput, Schema } from '../lib/schema/schema.ts'
import type { EventDefinition } from '../step/define-event.ts'
import { declaredEvent, isDeclared } from '../step/event-to-send.ts'
import type { EventToSend, SendEventOptions } from '../step/event-to-send.ts'
import { requireObject } from '../lib/require-object.ts'
import { currentServer } from './current-server.ts'

/**
 * Sends an event from code that a server runs, such as a route: resumes the executions that wait for it, and starts the
 * workflows that it starts (`on`), and cancels executions (`cancelOn`). Resolves when the event and the executions are stored.
 *
 * @returns the id of the event, and the ids of the executions that continue with it and that it has started
 * @throws an error with the `code` `invalid_input` when the name is no id, or the data does not match the schema of a step
 *   that waits for it, and `unavailable` outside of a server
 *
 * @example
 * const { resumed } = await sendEvent({ name: 'payment', key: 'A-1', data: { amount: 40 }, id: 'evt_123' })
 */
export async function sendEvent(event: EventToSend): Promise<EventResult>
/**
 * Sends an event that was made by `defineEvent`.
 *
 * @throws the same as with an event that is named by a text, and `invalid_input` when the data does not match the schema
 *   of the event
 *
 * @example
 * const { resumed } = await sendEvent(paid, { cents: 500 }, { key: 'A-1' })
 */
export async function sendEvent<S extends Schema>(
  event: EventDefinition<S>,
  data: InferInput<S>,
  options?: SendEventOptions,
): Promise<EventResult>
export async function sendEvent(
  event: EventToSend | EventDefinition,
  data?: unknown,
  options?: SendEventOptions,
): Promise<EventResult> {
  if (options !== undefined) requireObject('sendEvent', 'options', options, { key: 'string', id: 'string' })
  const server = currentServer('sendEvent()')
  return server.sendEvent(isDeclared(event) ? await declaredEvent(event, data, options) : event)
}
