export interface Order {
  readonly orderId: string
  readonly state: 'paid' | 'shipped' | 'refunded'
  readonly totalCents: number
  readonly trackingNumber: string | null
}

/** Orders by number. Replace it with your database. */
export const orders = new Map<string, Order>(
  [
    { orderId: 'A-1001', state: 'shipped', totalCents: 4200, trackingNumber: 'TRK-7001' } as const,
    { orderId: 'A-1002', state: 'paid', totalCents: 18_900, trackingNumber: null } as const,
  ].map((order) => [order.orderId, order]),
)

/** Refunds an order and returns the amount. A second refund returns the same amount and pays nothing. */
export function refund(orderId: string): number {
  const order = orders.get(orderId)
  if (!order) throw new Error(`There is no order ${orderId}`)
  orders.set(orderId, { ...order, state: 'refunded' })
  return order.totalCents
}
