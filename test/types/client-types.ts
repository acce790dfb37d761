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
if ('result' in ordered) expectTypeOf(ordered.result).toEqualTypeOf<{ paid: number } | null>()
else expectTypeOf(ordered.status).toEqualTypeOf<'running'>()
const greeted = await client.runWorkflow({ params: { id: 'greet' }, body: { input: {} } })
if ('result' in greeted) expectTypeOf(greeted.result).toEqualTypeOf<string | null>()
const params = { id: 'order', executionId: 'order-1' } as const
expectTypeOf((await client.resumeExecution({ params })).result).toEqualTypeOf<{ paid: number } | null>()
const replayed = await client.replayExecution({ params, body: { stepId: 'pay' } })
if ('result' in replayed) expectTypeOf(replayed.result).toEqualTypeOf<{ paid: number } | null>()
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

// the other options and methods are those of the untyped client
await client.executeWorkflow({
  params: { id: 'order' },
  headers: { prefer: 'respond-async' },
  body: { input: { amount: 5 }, options: { userId: 'ada' } },
  signal: AbortSignal.timeout(1000),
})
await client.suspendExecution({ params, body: { reason: 'lunch' } })
await client.listExecutions({ query: { limit: '5' } })
await client.generateText({ params: { id: 'clerk' }, body: { input: 'Hello' } })

// without the type of a configuration, and with one that does not know its workflows, any id is accepted
const untyped = createClient({ baseUrl: 'http://localhost:3141' })
const anything = await untyped.executeWorkflow({ params: { id: 'whatever' }, body: { input: 1 } })
if ('result' in anything) expectTypeOf(anything.result).toEqualTypeOf<unknown>()
for await (const event of untyped.followExecution({ params })) expectTypeOf(event).toExtend<ExecutionEvent>()
const none = defineConfig({ port: 0 })
await createClient<typeof none>({ baseUrl: '' }).getWorkflow({ params: { id: 'whatever' } })

// unknown options of a configuration do not compile
// @ts-expect-error the option is called port
defineConfig({ workflows: [order], prot: 3141 })
