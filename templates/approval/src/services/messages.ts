import { setTimeout as sleep } from 'node:timers/promises'

export interface Message {
  readonly to: string
  readonly subject: string
  /** The relay sends one message per key, however many requests it receives. */
  readonly idempotencyKey: string
}

/** Time limit and retries for steps that use the relay. */
export const RELAY_OPTIONS = { retries: { limit: 4, delayMs: 20 }, timeoutMs: 150 } as const

const sent = new Map<string, Message>()
const knownAddresses = new Set<string>()

/**
 * Simulates a mail relay with greylisting: the first message to an address gets no response, later ones are
 * accepted.
 */
export async function sendMessage(message: Message, signal: AbortSignal): Promise<void> {
  if (!knownAddresses.has(message.to)) {
    knownAddresses.add(message.to)
    await sleep(60_000, undefined, { signal })
  }
  await sleep(2, undefined, { signal })
  sent.set(message.idempotencyKey, message)
}

/** The subjects of the messages sent to an address, oldest first. */
export function messagesTo(address: string): string[] {
  return [...sent.values()].filter(({ to }) => to === address).map(({ subject }) => subject)
}
