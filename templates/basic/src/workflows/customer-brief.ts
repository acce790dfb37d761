import { formatEuros } from '../services/prices.ts'
import type { Order } from './order-data.ts'

/** What the agent is told about an order. Everything it may say is in here. */
export function customerBrief(order: Order): string {
  const { orderId, email, totalCents, carrier, approved, note, trackingNumber } = order
  const outcome = approved
    ? `It was shipped with ${carrier}; the tracking number is ${trackingNumber}.`
    : `We can't accept it, and nothing was charged.${note === undefined ? '' : ` The reason: ${note}`}`
  return `Write to ${email} about order ${orderId} of ${formatEuros(totalCents)}. ${outcome}`
}
