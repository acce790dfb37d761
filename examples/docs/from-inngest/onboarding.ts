import { createWorkflow, defineEvent } from 'agentserver'
import { z } from 'zod'

export const outbox: string[] = []
const mail = (to: string, text: string) =>
  void outbox.push(`${to}: ${text}`)

// #region function
export const signedUp = defineEvent({
  name: 'user.signup',
  schema: z.object({ email: z.email() }),
})

export const welcome = createWorkflow({
  id: 'welcome',
  inputSchema: signedUp.schema,
  on: [{ event: signedUp }],
  retries: 4,
  run: async ({ input: { email }, step }) => {
    await step.run('hello', () => mail(email, 'Welcome'))
    await step.sleep('before-tips', '3d')
    await step.run('tips', () => mail(email, 'Three tips'))
  },
  onError: ({ error, step }) =>
    step.run('alert', () => mail('ops', `${error?.message}`)),
})
// #endregion

// #region review
export const reviewed = defineEvent({
  name: 'invoice.reviewed',
  schema: z.object({ approved: z.boolean() }),
})

export const invoice = createWorkflow({
  id: 'invoice',
  inputSchema: z.object({ invoiceId: z.string() }),
  on: [{ event: 'invoice.requested' }],
  cancelOn: [
    {
      event: 'invoice.withdrawn',
      key: ({ input }) => input.invoiceId,
    },
  ],
  run: async ({ input: { invoiceId }, step }) => {
    const review = await step.waitForEvent('review', {
      event: reviewed,
      key: invoiceId,
      timeout: '7d',
      onTimeout: 'continue',
    })
    if ('timedOut' in review) return 'expired'
    return review.approved ? 'approved' : 'rejected'
  },
})
// #endregion

// #region invoke
export const square = createWorkflow({
  id: 'square',
  inputSchema: z.object({ number: z.number() }),
  run: async ({ input }) => input.number ** 2,
})

export const main = createWorkflow({
  id: 'main',
  inputSchema: z.object({ number: z.number() }),
  run: async ({ input, step }) =>
    step.workflow('compute', square, { number: input.number }),
})
// #endregion
