import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import { createClient, type ExecutionEvent } from '../../src/client/index.ts'
import { defineConfig } from '../../src/config/config.ts'
import { createWorkflow } from '../../src/workflow/create-workflow.ts'

const order = createWorkflow({ id: 'order', inputSchema: z.object({ amount: z.number() }) }).andThen({
  id: 'pay',
  execute: ({ data }) => ({ paid: data.amount }),
})
const greet = createWorkflow({
  id: 'greet',
  inputSchema: z.object({ name: z.string().default('you') }),
}).andThen({
  id: 'say',
  execute: ({ data }) => `Hello ${data.name}`,
})
const config = defineConfig({ workflows: [order, greet], port: 0 })
const client = createClient<typeof config>({ baseUrl: 'http://localhost:3141' })

// the id of a workflow determines the input and the result
const ordered = await client.executeWorkflow({ params: { id: 'order' }, body: { input: { amount: 5 } } })
expectTypeOf(ordered.result).toEqualTypeOf<{ paid: number } | null>()
const greeted = await client.runWorkflow({ params: { id: 'greet' }, body: { input: {} } })
expectTypeOf(greeted.result).toEqualTypeOf<string | null>()
const params = { id: 'order', executionId: 'order-1' } as const
expectTypeOf((await client.resumeExecution({ params })).result).toEqualTypeOf<{ paid: number } | null>()
const replayed = await client.replayExecution({ params, body: { stepId: 'pay' } })
expectTypeOf(replayed.result).toEqualTypeOf<{ paid: number } | null>()
for await (const event of client.streamWorkflow({ params: { id: 'greet' }, body: { input: {} } })) {
  expectTypeOf(event.sequence).toEqualTypeOf<number>()
  if (event.type === 'workflow-result') expectTypeOf(event.result).toEqualTypeOf<string | null>()
  if (event.type === 'step-error') expectTypeOf(event.error.message).toEqualTypeOf<string>()
}

await client.executeWorkflow({
  // @ts-expect-error there is no such workflow
  params: { id: 'ordr' },
  body: { input: { amount: 5 } },
})
await client.executeWorkflow({
  params: { id: 'order' },
  // @ts-expect-error the amount is a number
  body: { input: { amount: '5' } },
})
await client.executeWorkflow({
  params: { id: 'order' },
  // @ts-expect-error the amount is missing
  body: { input: {} },
})
// @ts-expect-error the input is missing
await client.executeWorkflow({ params: { id: 'order' } })
// @ts-expect-error there is no such workflow
await client.getWorkflow({ params: { id: 'ordr' } })

// the other options and methods are those of the untyped client; only a call with a preference may get 202
const started = await client.executeWorkflow({
  params: { id: 'order' },
  headers: { prefer: 'respond-async' },
  body: { input: { amount: 5 }, options: { userId: 'ada' } },
  signal: AbortSignal.timeout(1000),
})
if ('result' in started) expectTypeOf(started.result).toEqualTypeOf<{ paid: number } | null>()
else expectTypeOf(started.status).toEqualTypeOf<'running'>()
await client.executeWorkflow({
  params: { id: 'order' },
  // @ts-expect-error the header is called prefer
  headers: { prefre: 'respond-async' },
  body: { input: { amount: 5 } },
})
const suspended = await client.suspendExecution({ params, body: { reason: 'lunch' } })
expectTypeOf(suspended.status).toEqualTypeOf<'suspended' | 'running'>()
await client.listExecutions({ query: { limit: '5' } })
await client.generateText({ params: { id: 'clerk' }, body: { input: 'Hello' } })

// without the type of a configuration, and with one that does not know its workflows, any id is accepted
const untyped = createClient({ baseUrl: 'http://localhost:3141' })
const anything = await untyped.executeWorkflow({ params: { id: 'whatever' }, body: { input: 1 } })
expectTypeOf(anything.result).toEqualTypeOf<unknown>()
for await (const event of untyped.followExecution({ params })) expectTypeOf(event).toExtend<ExecutionEvent>()
const none = defineConfig({ port: 0 })
await createClient<typeof none>({ baseUrl: '' }).getWorkflow({ params: { id: 'whatever' } })

// unknown options of a configuration do not compile
// @ts-expect-error the option is called port
defineConfig({ workflows: [order], prot: 3141 })
