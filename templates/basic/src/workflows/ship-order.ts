import { andThen, createWorkflow } from 'agentserver'
import { bookPickup, printLabel } from '../services/carriers.ts'
import { pack } from '../services/catalogue.ts'
import { Order, type OrderItem } from './order-data.ts'

/** A separate execution, also when the order workflow starts it. */
export const shipOrder = createWorkflow({
  id: 'ship-order',
  name: 'Ship order',
  purpose: 'Pack the items, print a label and book the pickup',
  inputSchema: Order,
  resultSchema: Order,
  examples: [
    {
      orderId: 'A-1',
      email: 'ada@example.com',
      items: [{ sku: 'mug', quantity: 2 }],
      totalCents: 3585,
      carrier: 'Swift',
      approved: true,
    },
  ],
})
  // Each item is a durable step of its own: after a crash, packed items are not packed again.
  .andForEach({
    id: 'pack',
    items: ({ data }) => data.items,
    concurrency: 2,
    step: andThen({ id: 'item', retries: 2, execute: ({ data }: { data: OrderItem }) => pack(data) }),
  })
  .andThen({
    id: 'label',
    execute: async ({ data, input, signal }) => {
      const grams = data.reduce((sum, parcel) => sum + parcel.grams, 0)
      return { ...input, trackingNumber: await printLabel({ ...input, grams }, signal) }
    },
  })
  .andTap({
    id: 'pickup',
    purpose: 'Book the pickup; a failed booking does not fail the order',
    execute: ({ data, signal }) => bookPickup(data.carrier, signal),
  })
