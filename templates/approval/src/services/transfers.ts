import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

export interface TransferOrder {
  readonly to: string
  readonly cents: number
  /** The bank makes one transfer per key, however many requests it receives. */
  readonly idempotencyKey: string
}

const orders = new Map<string, TransferOrder>()

/**
 * Simulates a bank on an unreliable connection: it makes the transfer, but its first response is lost. A second
 * request with the same key returns the transfer.
 */
export async function transfer(order: TransferOrder, signal: AbortSignal): Promise<string> {
  await sleep(2, undefined, { signal })
  const isKnown = orders.has(order.idempotencyKey)
  orders.set(order.idempotencyKey, order)
  if (!isKnown) throw new Error('The bank did not respond in time')
  return `tr_${createHash('sha256').update(order.idempotencyKey).digest('hex').slice(0, 12)}`
}

/** The transfers to a recipient. */
export function transfersTo(address: string): TransferOrder[] {
  return [...orders.values()].filter(({ to }) => to === address)
}
