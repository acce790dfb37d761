import { setTimeout as sleep } from 'node:timers/promises'
import { andThen, createWorkflow } from 'agentserver'
import { z } from 'zod'

const Approval = z.object({ ok: z.boolean() })

export const order = createWorkflow({
  id: 'order',
  inputSchema: z.object({ orderId: z.string(), amount: z.number() }),
  examples: [{ orderId: 'A-1', amount: 40 }],
})
  .andThen({ id: 'charge', execute: ({ data }) => ({ ...data, charged: true }) })
  .andWhen({
    id: 'if-large',
    condition: ({ data }) => data.amount > 100,
    step: andThen({
      id: 'approve',
      resumeSchema: Approval,
      execute: ({ data, resumeData, suspend }) => (resumeData ? data : suspend('Over 100')),
    }),
  })
  .andWhen({
    id: 'if-very-large',
    condition: ({ data }) => data.amount > 200,
    step: andThen({
      id: 'countersign',
      resumeSchema: Approval,
      execute: ({ data, resumeData, suspend }) => (resumeData ? data : suspend('Over 200')),
    }),
  })
  // pallets are packed by hand
  .andTap({
    id: 'pack',
    execute: async ({ input, signal }) => {
      if (input.orderId.startsWith('pallet')) await sleep(600_000, undefined, { signal })
    },
  })
  .andThen({ id: 'ship', execute: ({ data }) => ({ amount: data.amount, shipped: true }) })
