import { randomUUID } from 'node:crypto'
import { createWorkflow } from '../../../../src/index.ts'

/** The side effects of the workflows. None of them does anything. */
export const effects = {
  pay: async (_cents: number, _options?: { readonly idempotencyKey?: string }) => ({ id: 'ch_1' }),
  refund: async (_id: string, _options?: { readonly idempotencyKey?: string }) => undefined,
  mail: async (_to: string, _options?: { readonly idempotencyKey?: string }) => undefined,
}

/** The step has no idempotency key. */
export const payWithoutKey = createWorkflow({ id: 'pay-without-key' }).andThen({
  id: 'charge',
  execute: async () => effects.pay(250),
})

/** The key is another one in each attempt. */
export const payWithNewKey = createWorkflow({
  id: 'pay-with-new-key',
  run: ({ step }) => step.run('charge', () => effects.pay(250, { idempotencyKey: randomUUID() })),
})

/** The mail is sent between two recorded calls, and so in every pass. */
export const mailOutside = createWorkflow({
  id: 'mail-outside',
  run: async ({ step }) => {
    await step.run('reserve', () => 'reserved')
    await effects.mail('ada@example.com')
    return step.run('ship', () => 'shipped')
  },
})

/** The request has no `Idempotency-Key`. */
export const postWithoutKey = createWorkflow({
  id: 'post-without-key',
  run: ({ step }) =>
    step.run('order', async () => {
      const response = await fetch('data:text/plain,ordered', { method: 'POST' })
      return response.text()
    }),
})

/** The compensation has no idempotency key. */
export const refundWithoutKey = createWorkflow({
  id: 'refund-without-key',
  run: async ({ step }) => {
    await step.run('charge', ({ idempotencyKey }) => effects.pay(250, { idempotencyKey }), {
      compensate: ({ id }) => effects.refund(id),
    })
    await step.run('ship', () => {
      throw new Error('Out of stock')
    })
  },
})

/** The hook has no idempotency key. */
export const hookWithoutKey = createWorkflow({
  id: 'hook-without-key',
  run: ({ step }) => step.run('write', () => 'written'),
  onEnd: () => effects.mail('ada@example.com'),
})

/** The functions of calls fill a list, and functions of completed calls don't run again. */
export const listInMemory = createWorkflow({
  id: 'list-in-memory',
  run: async ({ step }) => {
    const booked: string[] = []
    for (const line of ['mug', 'desk']) await step.run(`book-${line}`, () => void booked.push(line))
    return { booked }
  },
})

/** An attempt after the first one returns something else. */
export const attemptInResult = createWorkflow({ id: 'attempt-in-result' }).andThen({
  id: 'create',
  execute: ({ attempt }) => ({ created: attempt === 1 }),
})

/** The id is made outside of recorded calls: `save` has stored another one than the result has. */
export const idOutside = createWorkflow({
  id: 'id-outside',
  run: async ({ step }) => {
    const id = randomUUID()
    await step.run('save', () => ({ saved: true }))
    return { id }
  },
})

/** The call settles a promise in memory, and is not repeated. */
export const promiseInMemory = createWorkflow({
  id: 'promise-in-memory',
  run: async ({ step }) => {
    let settle = (_value: string) => {}
    const ready = new Promise<string>((resolve) => (settle = resolve))
    await step.run('prepare', () => settle('ready'))
    return ready
  },
})

/** The ids of calls are random. */
export const randomIds = createWorkflow({
  id: 'random-ids',
  run: async ({ step }) => {
    for (let count = 0; count < 3; count++) await step.run(`line-${randomUUID()}`, () => count)
    return 'booked'
  },
})

let turn = 0

/** Each pass begins with another line. */
export const otherOrder = createWorkflow({
  id: 'other-order',
  run: async ({ step }) => {
    const first = turn++ % 3
    for (let count = 0; count < 3; count++) await step.run(`line-${(first + count) % 3}`, () => 'booked')
    return 'booked'
  },
})
