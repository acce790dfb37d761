import { z } from 'zod'

/** An order as a customer submits it. */
export const OrderInput = z.object({
  orderId: z.string().min(1).max(64),
  email: z.email(),
  items: z.array(z.object({ sku: z.string().min(1), quantity: z.int().min(1).max(100) })).min(1),
})
export type OrderInput = z.infer<typeof OrderInput>
export type OrderItem = OrderInput['items'][number]

/** An order between the steps of the workflow. Amounts are in cents. */
export const Order = OrderInput.extend({
  totalCents: z.int(),
  carrier: z.string(),
  approved: z.boolean(),
  note: z.string().optional(),
  receiptId: z.string().optional(),
  trackingNumber: z.string().optional(),
})
export type Order = z.infer<typeof Order>

/** The decision on an order that waits for approval. */
export const Decision = z.object({
  approved: z.boolean(),
  note: z.string().max(500).optional(),
})

/** The result of a closed order. */
export const OrderResult = z.object({
  orderId: z.string(),
  status: z.enum(['shipped', 'rejected']),
  totalCents: z.int(),
  trackingNumber: z.string().nullable(),
  message: z.string(),
})
