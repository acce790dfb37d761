import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ChargeRequest {
  readonly orderId: string
  readonly amountCents: number
  /** The provider takes one payment per key, however many requests it receives. */
  readonly idempotencyKey: string
}

export interface Receipt extends ChargeRequest {
  readonly id: string
}

const receipts = new Map<string, Receipt>()

/**
 * Simulates a payment provider on an unreliable connection: it takes the payment, but its first response is lost.
 * A second request with the same key returns the receipt.
 */
export async function charge(request: ChargeRequest, signal: AbortSignal): Promise<Receipt> {
  await sleep(5, undefined, { signal })
  const known = receipts.get(request.idempotencyKey)
  if (known) return known
  receipts.set(request.idempotencyKey, { ...request, id: receiptId(request.idempotencyKey) })
  throw new Error('The payment provider did not respond in time')
}

/** The payments for an order. */
export function paymentsOf(orderId: string): Receipt[] {
  return [...receipts.values()].filter((receipt) => receipt.orderId === orderId)
}

function receiptId(key: string): string {
  return `rcpt_${createHash('sha256').update(key).digest('hex').slice(0, 12)}`
}
