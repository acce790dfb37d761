import { createWorkflow, defineEvent } from 'agentserver'
import { z } from 'zod'

export const pickedUp = defineEvent({
  name: 'meal.picked-up',
  schema: z.object({ courier: z.string() }),
})
export const delivered = defineEvent({
  name: 'meal.delivered',
  schema: z.object({}),
})
export const rated = defineEvent({
  name: 'meal.rated',
  schema: z.object({ stars: z.int().min(1).max(5) }),
})

/** Stands for the payment service and the app of the customer. */
export const sent: string[] = []

export const meal = createWorkflow({
  id: 'meal',
  inputSchema: z.object({
    orderId: z.string(),
    dish: z.string(),
    cents: z.int().positive(),
  }),
  run: async ({ input: { orderId, dish, cents }, step }) => {
    const push = (id: string, text: string) =>
      step.run(id, () => void sent.push(text), { retries: 5 })

    await step.run(
      'charge',
      ({ idempotencyKey }) => charge(cents, idempotencyKey),
      {
        retries: 3,
        compensate: (payment) =>
          void sent.push(`Refund ${payment.cents}`),
      },
    )

    const restaurant = await step.suspend('accept', {
      reason: `The restaurant accepts ${dish}`,
      resumeSchema: z.object({
        accepted: z.boolean(),
        minutes: z.int().optional(),
      }),
      timeout: '10m',
    })
    if (!restaurant.accepted)
      throw new Error('The restaurant has declined the order')
    await push(
      'tell-accepted',
      `Ready in ${restaurant.minutes ?? 20} minutes`,
    )

    const { courier } = await step.waitForEvent('picked-up', {
      event: pickedUp,
      key: orderId,
      timeout: '1h',
    })
    await push('tell-picked-up', `${courier} is on the way`)

    await step.waitForEvent('delivered', {
      event: delivered,
      key: orderId,
      timeout: '1h',
    })
    await push('tell-delivered', 'Enjoy your meal')

    await step.sleep('meal', '1h')
    await push('ask-for-rating', `How was the ${dish}?`)
    const rating = await step.waitForEvent('rated', {
      event: rated,
      key: orderId,
      timeout: '2d',
      onTimeout: 'continue',
    })
    return {
      courier,
      stars: 'timedOut' in rating ? null : rating.stars,
    }
  },
  onError: ({ error, step }) =>
    step.run(
      'tell-failed',
      () =>
        void sent.push(`Your order has failed: ${error?.message}`),
    ),
})

const charge = async (cents: number, idempotencyKey: string) => ({
  cents,
  idempotencyKey,
})
