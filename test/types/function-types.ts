import { createAgent, createTool, createWorkflow } from 'agentserver'
import type { StepCalls } from 'agentserver'
import { z } from 'zod'

// Compiled by `npm run check:types`: what workflows that are functions accept, and what their calls resolve to.

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <A, B>(_: Equal<A, B>): void => undefined

const writer = createAgent({ id: 'writer', name: 'Writer', instructions: 'Write' })
const look = createTool({
  name: 'look',
  description: 'Looks',
  inputSchema: z.object({ id: z.string() }),
  execute: ({ id }) => ({ id, at: 1 }),
})
const invoice = createWorkflow({
  id: 'invoice',
  inputSchema: z.object({ total: z.number() }),
  resultSchema: z.object({ paid: z.boolean() }),
  run: async ({ input }) => ({ paid: input.total > 0 }),
})

const order = createWorkflow({
  id: 'order',
  inputSchema: z.object({ total: z.number().default(1) }),
  run: async ({ input, step, userId }) => {
    same<typeof input, { total: number }>(true)
    same<typeof userId, string | undefined>(true)
    return call(step)
  },
})

async function call(step: StepCalls) {
  const summed = await step.run('sum', () => ({ at: 1 as const }))
  same<typeof summed, { at: 1 }>(true)
  const parsed = await step.run('parse', () => '1', { outputSchema: z.string().transform(Number) })
  same<typeof parsed, number>(true)
  const decided = await step.suspend('ask', { resumeSchema: z.object({ approved: z.boolean() }) })
  same<typeof decided, { approved: boolean }>(true)
  const late = await step.suspend('late', {
    resumeSchema: z.string(),
    timeout: '1h',
    onTimeout: 'continue',
  })
  same<typeof late, string | { readonly timedOut: true }>(true)
  const event = await step.waitForEvent('paid', {
    event: 'payment',
    schema: z.object({ amount: z.number() }),
  })
  same<typeof event, { amount: number }>(true)
  const { text, object } = await step.agent('note', writer, {
    prompt: 'Hi',
    schema: z.object({ n: z.number() }),
  })
  same<[typeof text, typeof object], [string, { n: number }]>(true)
  const child = await step.workflow('pay', invoice, { total: 1 })
  same<typeof child, { paid: boolean }>(true)
  const seen = await step.tool('look', look, { id: 'a' })
  same<typeof seen, { id: string; at: number }>(true)
  await step.run('charge', () => ({ id: 'c1' }), {
    retries: 3,
    compensate: (charge, { error, reason }) => {
      same<typeof charge, { id: string }>(true)
      same<typeof reason, 'error' | 'timeout' | 'cancelled'>(true)
      return error?.message
    },
  })
  await step.run('total', () => '1', {
    outputSchema: z.string().transform(Number),
    compensate: (total) => same<typeof total, number>(true),
  })
  await step.workflow(
    'paid',
    invoice,
    { total: 1 },
    { compensate: ({ paid }) => same<typeof paid, boolean>(true) },
  )
  // @ts-expect-error -- a Date is not JSON
  await step.run('date', () => new Date())
  // @ts-expect-error -- the child needs a number
  await step.workflow('other', invoice, { total: 'x' })
  return { approved: decided.approved }
}

// @ts-expect-error -- a function has no further steps
order.andThen({ id: 'more', execute: () => 1 })

createWorkflow({
  id: 'w',
  resultSchema: z.object({ status: z.enum(['shipped', 'rejected']) }),
  run: async ({ step }) => {
    await step.sleep('rest', '1s')
    return { status: 'shipped' }
  },
})

createWorkflow({
  id: 'w',
  resultSchema: z.object({ status: z.enum(['shipped', 'rejected']) }),
  // @ts-expect-error -- not one of the values
  run: async ({ userId }) => ({ status: userId ?? 'lost' }),
})

createWorkflow({
  id: 'w',
  inputSchema: z.object({ n: z.number() }),
  resultSchema: z.object({ paid: z.boolean() }),
  onEnd: async ({ input, result, status, step }) => {
    same<typeof input, { n: number }>(true)
    same<typeof result, { paid: boolean } | undefined>(true)
    same<typeof status, 'completed' | 'error' | 'cancelled'>(true)
    await step.run('mail', () => 1)
    // @ts-expect-error -- a hook can't wait
    await step.sleep('rest', '1h')
  },
  run: async () => ({ paid: true }),
})

createWorkflow({ id: 'w', inputSchema: z.object({ n: z.number() }) })
  .andThen({
    id: 'charge',
    execute: ({ input }) => ({ id: input.n }),
    compensate: (charge) => same<typeof charge, { id: number }>(true),
  })
  .andWorkflow({
    id: 'pay',
    workflow: invoice,
    input: () => ({ total: 1 }),
    compensate: (paid) => same<typeof paid, { paid: boolean }>(true),
  })
  .andAgent({
    id: 'note',
    agent: writer,
    prompt: 'Hi',
    schema: z.object({ n: z.number() }),
    compensate: (note) => same<typeof note, { n: number }>(true),
  })

export const executed = async (): Promise<boolean | undefined> =>
  (await order.execute({ total: 1 })).result?.approved
