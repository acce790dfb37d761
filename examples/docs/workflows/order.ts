import { andThen, createAgent, createWorkflow } from 'agentserver'
import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'

const writer = createAgent({
  id: 'writer',
  name: 'Writer',
  instructions: 'Write one friendly sentence to a customer. Invent nothing.',
})

/** A stand-in for the API of a carrier. `signal` aborts once another carrier has answered. */
const quote = (carrier: string, delayMs: number) =>
  andThen({
    id: `quote-${carrier}`,
    execute: async ({ signal }) => {
      await setTimeout(delayMs, undefined, { signal })
      return { carrier }
    },
  })

export const shipment = createWorkflow({
  id: 'shipment',
  name: 'Shipment',
  inputSchema: z.object({ orderId: z.string() }),
})
  .andRace({ id: 'carrier', steps: [quote('north', 10), quote('south', 5000)] })
  .andThen({
    id: 'book',
    execute: ({ data, input }) => ({ ...input, label: `${data.carrier}-${input.orderId}` }),
  })

export const order = createWorkflow({
  id: 'order',
  name: 'Order',
  purpose: 'Check, ship and confirm an order',
  inputSchema: z.object({ orderId: z.string(), cents: z.int().positive() }),
  resultSchema: z.object({ orderId: z.string(), label: z.string(), message: z.string() }),
  retries: 2,
})
  .andAll({
    id: 'check',
    steps: [
      andThen({ id: 'stock', execute: () => ({ inStock: true }) }),
      andThen({ id: 'tax', execute: ({ data }) => ({ taxCents: Math.round(data.cents * 0.19) }) }),
    ],
  })
  .andThen({
    id: 'total',
    execute: ({ data: [stock, tax], input }) => ({ ...stock, totalCents: input.cents + tax.taxCents }),
  })
  .andWhen({
    id: 'large-order',
    condition: ({ data }) => data.totalCents > 50_000,
    step: andThen({
      id: 'discount',
      execute: ({ data }) => ({ ...data, totalCents: Math.round(data.totalCents * 0.95) }),
    }),
  })
  .andWorkflow({ id: 'ship', workflow: shipment, input: ({ input }) => ({ orderId: input.orderId }) })
  .andTap({
    id: 'audit',
    execute: ({ data, results, logger, emit }) => {
      logger.info({ orderId: data.orderId, total: results.total.totalCents }, 'Order shipped')
      emit('order-shipped', data)
    },
  })
  .andAgent({
    id: 'confirm',
    agent: writer,
    prompt: ({ data }) => `Order ${data.orderId} was shipped with the label ${data.label}.`,
    map: ({ data, result }) => ({ ...data, message: result.text }),
  })
