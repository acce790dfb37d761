import { andRace, andThen, andWorkflow, createWorkflow } from 'agentserver'
import { support } from '../agents/support.ts'
import { quoteParcel, quoteSwift } from '../services/carriers.ts'
import { findProduct, reserveStock } from '../services/catalogue.ts'
import { charge } from '../services/payments.ts'
import { formatEuros, priceOf } from '../services/prices.ts'
import { customerBrief } from './customer-brief.ts'
import { Decision, type Order, OrderInput, OrderResult } from './order-data.ts'
import { shipOrder } from './ship-order.ts'

/** Orders above this total need approval. */
const APPROVAL_LIMIT_CENTS = 50_000

export const order = createWorkflow({
  id: 'order',
  name: 'Order',
  purpose: 'Check, approve, charge and ship an order',
  inputSchema: OrderInput,
  resultSchema: OrderResult,
  // The console and `run-workflow --example` start with the first one; the second needs approval.
  examples: [
    { orderId: 'A-1', email: 'ada@example.com', items: [{ sku: 'mug', quantity: 2 }] },
    { orderId: 'B-1', email: 'grace@example.com', items: [{ sku: 'desk', quantity: 1 }] },
  ],
})
  .andThen({
    id: 'validate',
    purpose: 'Look up the items in the catalogue',
    execute: ({ data }) => data.items.map(({ sku, quantity }) => ({ ...findProduct(sku), quantity })),
  })
  // These steps run in parallel; the result is an array in this order.
  .andAll({
    id: 'check',
    steps: [
      andThen({ id: 'stock', purpose: 'Reserve the items', execute: ({ data }) => reserveStock(data) }),
      andThen({ id: 'price', purpose: 'Calculate the total and tax', execute: ({ data }) => priceOf(data) }),
      andRace({
        id: 'carrier',
        purpose: 'The first carrier to quote gets the parcel',
        steps: [
          andThen({ id: 'quote-swift', execute: ({ data, signal }) => quoteSwift(data, signal) }),
          andThen({ id: 'quote-parcel', execute: ({ data, signal }) => quoteParcel(data, signal) }),
        ],
      }),
    ],
  })
  .andThen({
    id: 'total',
    execute: ({ data: [, price, quote], input }): Order => ({
      ...input,
      totalCents: price.netCents + price.taxCents + quote.cents,
      carrier: quote.carrier,
      approved: true,
    }),
  })
  .andWhen({
    id: 'approval',
    condition: ({ data }) => data.totalCents > APPROVAL_LIMIT_CENTS,
    step: andThen({
      id: 'approve',
      purpose: 'Large orders need approval',
      resumeSchema: Decision,
      // Runs twice: first without resumeData, which suspends the execution, then with it.
      execute: ({ data, resumeData, suspend }): Order => {
        if (resumeData) return { ...data, ...resumeData }
        return suspend(`${formatEuros(data.totalCents)} is over the limit`, { totalCents: data.totalCents })
      },
    }),
  })
  .andWhen({
    id: 'payment',
    condition: ({ data }) => data.approved,
    step: andThen({
      id: 'charge',
      retries: { limit: 3, delayMs: 10 },
      timeoutMs: 5000,
      // The key is the same for every attempt, so a retry never charges twice.
      execute: async ({ data, idempotencyKey, signal }): Promise<Order> => {
        const { orderId, totalCents } = data
        const receipt = await charge({ orderId, amountCents: totalCents, idempotencyKey }, signal)
        return { ...data, receiptId: receipt.id }
      },
    }),
  })
  .andWhen({
    id: 'shipping',
    condition: ({ data }) => data.approved,
    step: andWorkflow({ id: 'ship', workflow: shipOrder }),
  })
  .andTap({
    id: 'audit',
    purpose: 'Log the decision; an error here does not fail the order',
    execute: ({ data, logger, emit }) => {
      const { orderId, approved, totalCents } = data
      logger.info({ orderId, approved, totalCents }, 'order decided')
      emit('order-decided', { orderId, approved, totalCents })
    },
  })
  .andAgent({
    id: 'summary',
    purpose: 'Write to the customer about the outcome',
    agent: support,
    retries: 2,
    prompt: ({ data }) => customerBrief(data),
    map: ({ data, result }) => ({
      orderId: data.orderId,
      status: data.approved ? ('shipped' as const) : ('rejected' as const),
      totalCents: data.totalCents,
      trackingNumber: data.trackingNumber ?? null,
      message: result.text,
    }),
  })
