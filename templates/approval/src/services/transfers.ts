import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

export interface TransferOrder {
  readonly to: string
  readonly cents: number
  /** The bank takes one order per key, however often it is asked. */
  readonly idempotencyKey: string
}

const orders = new Map<string, TransferOrder>()

/**
 * Stands in for a bank on a bad line: it takes the order, but its first answer gets lost. Asked again with the
 * same key, it answers with the transfer it made.
 */
export async function transfer(order: TransferOrder, signal: AbortSignal): Promise<string> {
  await sleep(2, undefined, { signal })
  const isKnown = orders.has(order.idempotencyKey)
  orders.set(order.idempotencyKey, order)
  if (!isKnown) throw new Error('The bank did not answer in time')
  return `tr_${createHash('sha256').update(order.idempotencyKey).digest('hex').slice(0, 12)}`
}

/** The transfers made to somebody. */
export function transfersTo(address: string): TransferOrder[] {
  return [...orders.values()].filter(({ to }) => to === address)
}
