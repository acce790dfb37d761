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

/** Returns the context of its call. */
export const whoami = createTool({
  name: 'whoami',
  description: 'Returns the caller and the context',
  inputSchema: z.object({}),
  execute: (_, { user, userId, conversationId, context }) => ({
    user: user === undefined ? null : { id: user.id ?? null, role: user.role ?? null },
    userId: userId ?? null,
    conversationId: conversationId ?? null,
    context,
  }),
})

/** Fails with a message that no caller may receive. */
export const broken = createTool({
  name: 'broken',
  description: 'Fails',
  inputSchema: z.object({}),
  execute: () => {
    throw new Error('the password is hunter2')
  },
})

/** Returns a value that its output schema does not allow. */
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

/** Waits until its signal aborts. `calls` receives `called` and `aborted`. */
export const patientTool = (calls: EventTarget) =>
  createTool({
    name: 'patient',
    description: 'Waits until it is aborted',
    inputSchema: z.object({ returns: z.boolean().default(true) }),
    execute: async ({ returns }, { signal }) => {
      calls.dispatchEvent(new Event('called'))
      if (!signal.aborted) await once(signal, 'abort')
      calls.dispatchEvent(new Event('aborted'))
      if (!returns) throw signal.reason
      return null
    },
  })
