import { formatEuros } from '../services/prices.ts'
import type { Order } from './order-data.ts'

/** The prompt about an order. It has everything that the agent may use. */
export function customerBrief(order: Order): string {
  const { orderId, email, totalCents, carrier, approved, note, trackingNumber } = order
  const outcome = approved
    ? `It was shipped with ${carrier}; the tracking number is ${trackingNumber}.`
    : `We can't accept it, and nothing was charged.${note === undefined ? '' : ` The reason: ${note}`}`
  return `Write to ${email} about order ${orderId} of ${formatEuros(totalCents)}. ${outcome}`
}
