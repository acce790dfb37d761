import { createWorkflow } from 'agentserver'
import { z } from 'zod'

/** Stand-ins for the shop's services. */
const priceOf = (sku: string) => sku.length * 100
const carrierFor = (country: string) => {
  if (country !== 'DE') throw new Error(`No carrier delivers to ${country}`)
  return 'north'
}

export const booking = createWorkflow({
  id: 'booking',
  inputSchema: z.object({
    country: z.string(),
    lines: z.array(z.object({ sku: z.string(), count: z.int() })),
  }),
})
  .andForEach({
    id: 'lines',
    items: ({ data }) => data.lines,
    step: (chain) =>
      chain.andThen({ id: 'price', execute: ({ data }) => data.count * priceOf(data.sku) }).andTap({
        id: 'note',
        execute: ({ results, logger }) => logger.info({ cents: results.price }, 'Priced'),
      }),
  })
  .andThen({ id: 'total', execute: ({ data }) => data.reduce((sum, cents) => sum + cents, 0) })
  .andTry({
    id: 'pay-and-ship',
    step: (chain) =>
      chain
        .andThen({ id: 'charge', execute: ({ data }) => ({ chargeId: `charge-${data}`, cents: data }) })
        .andThen({
          id: 'ship',
          execute: ({ input }) => ({ state: 'shipped', text: carrierFor(input.country) }),
        }),
    catch: (chain) =>
      chain.andThen({
        id: 'refund',
        execute: ({ data: { error }, results }) => ({
          state: 'refunded',
          text: `${results.charge?.chargeId ?? 'nothing'}: ${error.message}`,
        }),
      }),
  })
