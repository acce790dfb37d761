import { createWorkflow } from 'agentserver'
import { bookPickup, printLabel } from '../services/carriers.ts'
import { Order } from './order-data.ts'

/** A separate execution, also when the order workflow starts it. */
export const shipOrder = createWorkflow({
  id: 'ship-order',
  name: 'Ship order',
  purpose: 'Print a label and book the pickup',
  inputSchema: Order,
  resultSchema: Order,
})
  .andThen({
    id: 'label',
    execute: async ({ data, signal }) => ({ ...data, trackingNumber: await printLabel(data, signal) }),
  })
  .andTap({
    id: 'pickup',
    purpose: 'Book the pickup; a failed booking does not fail the order',
    execute: ({ data, signal }) => bookPickup(data.carrier, signal),
  })
