import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import { sendEvent } from '../../src/workflow/calls/send-event.ts'
import { createWorkflow } from '../../src/workflow/create-workflow.ts'
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
  expectTypeOf(sent).toEqualTypeOf<{ eventId: string; resumed: string[]; started: string[] }>()
  await sendEvent({ name: 'payment' })
  // @ts-expect-error -- the event has a name
  await sendEvent({ key: 'A-1' })
  // @ts-expect-error -- the key is a string
  await sendEvent({ name: 'payment', key: 7 })
}
void sendsTyped
