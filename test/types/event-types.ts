import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import { sendEvent } from '../../src/calls/send-event.ts'
import { createWorkflow } from '../../src/workflow/create-workflow.ts'
import { defineEvent } from '../../src/step/define-event.ts'
import { andRace } from '../../src/workflow/steps/and-race.ts'
import { andThen } from '../../src/workflow/steps/and-then.ts'
import { andWaitForEvent } from '../../src/workflow/steps/and-wait-for-event.ts'

const order = createWorkflow({ id: 'order', inputSchema: z.object({ orderId: z.string() }) })
const schema = z.object({ cents: z.number() })

// the result is the data of the event
order.andWaitForEvent({ id: 'paid', event: 'payment', key: ({ data }) => data.orderId, schema }).andThen({
  id: 'ship',
  execute: ({ data, input }) => {
    expectTypeOf(data).toEqualTypeOf<{ cents: number }>()
    expectTypeOf(input).toEqualTypeOf<{ orderId: string }>()
    return data
  },
})

// or of a time-out
order
  .andWaitForEvent({ id: 'paid', event: 'payment', schema, timeout: '7d', onTimeout: 'continue' })
  .andThen({
    id: 'ship',
    execute: ({ data }) => {
      expectTypeOf(data).toEqualTypeOf<{ cents: number } | { readonly timedOut: true }>()
      return null
    },
  })

// a step that fails at a time-out has no such result
order.andWaitForEvent({ id: 'paid', event: 'payment', schema, timeout: 1000, onTimeout: 'fail' }).andThen({
  id: 'ship',
  execute: ({ data }) => {
    expectTypeOf(data).toEqualTypeOf<{ cents: number }>()
    return null
  },
})

// without a schema the data is unknown
order.andWaitForEvent({ id: 'paid', event: 'payment' }).andThen({
  id: 'ship',
  execute: ({ data }) => {
    expectTypeOf(data).toBeUnknown()
    return null
  },
})

// in another step
const first = andRace({
  id: 'first',
  steps: [
    andWaitForEvent({ id: 'paid', event: 'payment', schema }),
    andThen({ id: 'skip', execute: () => 'skipped' }),
  ],
})
order.andWhen({ id: 'when', condition: () => true, step: andWaitForEvent({ id: 'paid', event: 'payment' }) })
createWorkflow({ id: 'race' }, first).andThen({
  id: 'then',
  execute: ({ data }) => {
    expectTypeOf(data).toEqualTypeOf<string | { cents: number }>()
    return null
  },
})

// @ts-expect-error -- the key is a string
order.andWaitForEvent({ id: 'paid', event: 'payment', key: () => 7 })

// @ts-expect-error -- the data has no such member
order.andWaitForEvent({ id: 'paid', event: 'payment', key: ({ data }) => data.unknown })

// @ts-expect-error -- the event has a name
order.andWaitForEvent({ id: 'paid' })

// @ts-expect-error -- it continues or fails
order.andWaitForEvent({ id: 'paid', event: 'payment', onTimeout: 'ignore' })

// @ts-expect-error -- no duration
order.andWaitForEvent({ id: 'paid', event: 'payment', timeout: 'soon' })

async function sendsTyped(): Promise<void> {
  const sent = await sendEvent({ name: 'payment', key: 'A-1', data: { cents: 5 }, id: 'evt_1' })
  expectTypeOf(sent).toEqualTypeOf<{
    eventId: string
    resumed: string[]
    started: string[]
    cancelled: string[]
  }>()
  await sendEvent({ name: 'payment' })
  // @ts-expect-error -- the event has a name
  await sendEvent({ key: 'A-1' })
  // @ts-expect-error -- the key is a string
  await sendEvent({ name: 'payment', key: 7 })
}
void sendsTyped

// an event that is declared types its data everywhere
const payment = defineEvent({ name: 'payment', schema: z.object({ cents: z.number().default(1) }) })
const ready = defineEvent({ name: 'ready', schema: z.object({ orderId: z.string() }) })

order.andWaitForEvent({ id: 'paid', event: payment }).andThen({
  id: 'ship',
  execute: ({ data }) => {
    expectTypeOf(data).toEqualTypeOf<{ cents: number }>()
    return null
  },
})
createWorkflow({
  id: 'function',
  run: async ({ step }) => {
    const data = await step.waitForEvent('paid', { event: payment })
    expectTypeOf(data).toEqualTypeOf<{ cents: number }>()
    const sent = await step.sendEvent('send', payment, {}, { key: 'A-1' })
    expectTypeOf(sent).toBeNumber()
    // @ts-expect-error -- the data does not match the schema
    await step.sendEvent('wrong', payment, { cents: '5' })
    return data
  },
})
createWorkflow({
  id: 'started',
  inputSchema: z.object({ orderId: z.string(), note: z.string().optional() }),
  on: [
    { event: ready, key: ({ data }) => data.orderId, filter: ({ data, key }) => data.orderId === key },
    { event: 'ready-by-name' },
  ],
})
// @ts-expect-error -- the workflow does not accept the data of the event
createWorkflow({ id: 'x', inputSchema: z.object({ orderId: z.number() }), on: [{ event: ready }] })
// @ts-expect-error -- the input has no such member
createWorkflow({ id: 'x', on: [{ event: 'x', filter: ({ data }) => data.size > 4 }] })

async function sendsDeclared(): Promise<void> {
  await sendEvent(payment, { cents: 5 }, { key: 'A-1', id: 'evt_1' })
  await sendEvent(payment, {})
  // @ts-expect-error -- the data does not match the schema
  await sendEvent(payment, { cents: '5' })
  // @ts-expect-error -- the data is missing
  await sendEvent(payment)
}
void sendsDeclared
