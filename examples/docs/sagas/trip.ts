import { createWorkflow } from 'agentserver'
import { z } from 'zod'

export const journal: string[] = []

export const trip = createWorkflow({
  id: 'trip',
  inputSchema: z.object({ city: z.string(), days: z.number() }),
  run: async ({ input, step }) => {
    const flight = await step.run('flight', ({ idempotencyKey }) => book('flight', idempotencyKey), {
      retries: 3,
      compensate: (booked, { idempotencyKey }) => cancel(booked.id, idempotencyKey),
    })
    const hotel = await step.run('hotel', ({ idempotencyKey }) => book('hotel', idempotencyKey), {
      retries: 3,
      compensate: (booked, { idempotencyKey }) => cancel(booked.id, idempotencyKey),
    })
    if (input.days > 14) await step.suspend('approve', { reason: 'Long trips need approval', timeout: '3d' })
    await step.run('car', () => {
      if (input.city === 'Venice') throw new Error('There are no cars in Venice')
      return book('car', 'car')
    })
    return { flight: flight.id, hotel: hotel.id }
  },
})

const book = async (kind: string, idempotencyKey: string) => {
  journal.push(`book ${kind}`)
  return { id: kind, idempotencyKey }
}

const cancel = async (id: string, _idempotencyKey: string) => {
  journal.push(`cancel ${id}`)
}
