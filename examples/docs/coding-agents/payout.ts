import { createWorkflow } from 'agentserver'
import { z } from 'zod'

const accounts = new Map([['ada', { iban: 'DE02 1203 0000 0000 2020 51' }]])

export const payout = createWorkflow({
  id: 'payout',
  inputSchema: z.object({ account: z.string(), cents: z.int() }),
  run: ({ input, step }) =>
    step.run('pay', () => {
      const { iban } = accounts.get(input.account)!
      return { iban, cents: input.cents }
    }),
})
