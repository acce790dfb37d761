import { setTimeout as sleep } from 'node:timers/promises'

export interface Message {
  readonly to: string
  readonly subject: string
  /** The relay sends one message per key, however often it is asked. */
  readonly idempotencyKey: string
}

/** How to send: a relay that hangs is given up on after a while, and asked again. */
export const PATIENTLY = { retries: { limit: 4, delayMs: 20 }, timeoutMs: 150 } as const

const sent = new Map<string, Message>()
const acquainted = new Set<string>()

/**
 * Stands in for a mail relay with greylisting: it leaves the caller waiting when it sees an address for the first
 * time, and takes messages to that address from then on.
 */
export async function sendMessage(message: Message, signal: AbortSignal): Promise<void> {
  if (!acquainted.has(message.to)) {
    acquainted.add(message.to)
    await sleep(60_000, undefined, { signal })
  }
  await sleep(2, undefined, { signal })
  sent.set(message.idempotencyKey, message)
}

/** The subjects of the messages sent to an address, the oldest first. */
export function messagesTo(address: string): string[] {
  return [...sent.values()].filter(({ to }) => to === address).map(({ subject }) => subject)
}
