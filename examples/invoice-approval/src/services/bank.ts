import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Payment {
  readonly supplier: string
  readonly cents: number
  /** Payments with the same key are made once. */
  readonly idempotencyKey: string
}

const payments = new Map<string, Payment>()

/**
 * Simulates a bank whose first response to every payment is lost: the payment is made, but the caller gets an
 * error. The retry has the same idempotency key, so it returns the payment instead of making a second one.
 */
export async function sendPayment(payment: Payment, signal: AbortSignal): Promise<string> {
  await sleep(5, undefined, { signal })
  const isDuplicate = payments.has(payment.idempotencyKey)
  payments.set(payment.idempotencyKey, payment)
  if (!isDuplicate) throw new Error('The bank did not respond')
  return `pay_${createHash('sha256').update(payment.idempotencyKey).digest('hex').slice(0, 12)}`
}

export function paymentsTo(supplier: string): Payment[] {
  return [...payments.values()].filter((payment) => payment.supplier === supplier)
}
