import { createTool } from 'agentserver'
import { once } from 'node:events'
import { z } from 'zod'

export const add = createTool({
  name: 'add',
  description: 'Adds two numbers',
  inputSchema: z.object({ a: z.number(), b: z.number().default(1) }),
  outputSchema: z.object({ sum: z.number() }),
  execute: ({ a, b }) => ({ sum: a + b }),
})

/** Tells what it was called with. */
export const whoami = createTool({
  name: 'whoami',
  description: 'Who asks, and in which context',
  inputSchema: z.object({}),
  execute: (_, { user, userId, conversationId, context }) => ({
    user: user === undefined ? null : { id: user.id ?? null, role: user.role ?? null },
    userId: userId ?? null,
    conversationId: conversationId ?? null,
    context,
  }),
})

/** Fails for good, telling what no caller should read. */
export const broken = createTool({
  name: 'broken',
  description: 'Fails',
  inputSchema: z.object({}),
  execute: () => {
    throw new Error('the password is hunter2')
  },
})

/** Returns what its output schema does not allow. */
export const liar = createTool({
  name: 'liar',
  description: 'Returns too much',
  inputSchema: z.object({}),
  outputSchema: z.object({ small: z.number().max(1) }),
  execute: () => ({ small: 2 }),
})

export const refund = createTool({
  name: 'refund',
  description: 'Pays money back',
  inputSchema: z.object({ amount: z.number() }),
  needsApproval: ({ amount }) => amount > 10,
  execute: ({ amount }) => ({ paid: amount }),
})

/** Waits until its signal aborts. `calls` hears of both: `called`, `aborted`. */
export const patientTool = (calls: EventTarget) =>
  createTool({
    name: 'patient',
    description: 'Waits for ever',
    inputSchema: z.object({ gives: z.boolean().default(true) }),
    execute: async ({ gives }, { signal }) => {
      calls.dispatchEvent(new Event('called'))
      if (!signal.aborted) await once(signal, 'abort')
      calls.dispatchEvent(new Event('aborted'))
      if (!gives) throw signal.reason
      return null
    },
  })
