import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../../src/agent/create-agent.ts'
import { createTool } from '../../src/agent/tools/create-tool.ts'
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
const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Answer.', temperature: 0.2 })
const add = createTool({
  name: 'add',
  description: 'Adds numbers',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => ({ sum: a + b }),
})
const config = defineConfig({ workflows: [order, greet], agents: [clerk], tools: [add], port: 0 })
const client = createClient<typeof config>({ baseUrl: 'http://localhost:3141' })

// the id of a workflow determines the input and the result
const ordered = await client.workflow('order').execute({ amount: 5 })
expectTypeOf(ordered.result).toEqualTypeOf<{ paid: number } | null>()
const greeted = await client
  .workflow('greet')
  .execute({}, { userId: 'ada', signal: AbortSignal.timeout(1000) })
expectTypeOf(greeted.result).toEqualTypeOf<string | null>()
const started = await client
  .workflow('order')
  .start({ amount: 5 }, { executionId: 'o-1', metadata: { plan: 'pro' } })
expectTypeOf((await started.settled()).result).toEqualTypeOf<{ paid: number } | null>()
expectTypeOf((await started.resume({ approved: true })).result).toEqualTypeOf<{ paid: number } | null>()
expectTypeOf((await started.replay('pay', { input: 1 })).result).toEqualTypeOf<{ paid: number } | null>()
expectTypeOf((await started.suspend({ reason: 'lunch' })).status).toEqualTypeOf<'suspended' | 'running'>()
for await (const event of client.workflow('greet').stream({})) {
  expectTypeOf(event.sequence).toEqualTypeOf<number>()
  if (event.type === 'workflow-result') expectTypeOf(event.result).toEqualTypeOf<string | null>()
  if (event.type === 'step-error') expectTypeOf(event.error.message).toEqualTypeOf<string>()
}

// @ts-expect-error there is no such workflow
client.workflow('ordr')
// @ts-expect-error the amount is a number
await client.workflow('order').execute({ amount: '5' })
// @ts-expect-error the amount is missing
await client.workflow('order').execute({})
// @ts-expect-error the input is missing
await client.workflow('order').execute()
// @ts-expect-error the option is called userId
await client.workflow('order').execute({ amount: 5 }, { userID: 'ada' })

// ids of agents are typed, and the schema of a request types its object
const answer = await client.agent('clerk').generate('Hello', { userId: 'ada', temperature: 0 })
expectTypeOf(answer.text).toEqualTypeOf<string>()
const judged = await client.agent('clerk').generate('Hello', { schema: z.object({ urgent: z.boolean() }) })
expectTypeOf(judged.object).toEqualTypeOf<{ urgent: boolean }>()
const loose = await client.agent('clerk').generate('Hello', { schema: { type: 'object' } })
expectTypeOf(loose.object).toEqualTypeOf<unknown>()
for await (const part of client.agent('clerk').stream('Hello'))
  if (part.type === 'text-delta') expectTypeOf(part.text).toEqualTypeOf<string>()
// @ts-expect-error there is no such agent
client.agent('clrk')
// @ts-expect-error there is no object without a schema
void answer.object

// tools of the configuration are typed; those of agents and of connected servers are accepted
const { result } = await client.tool('add').execute({ a: 1, b: 2 })
expectTypeOf(result).toEqualTypeOf<{ sum: number }>()
// @ts-expect-error b is missing
await client.tool('add').execute({ a: 1 })
expectTypeOf((await client.tool('weather').execute({ city: 'Rome' })).result).toEqualTypeOf<unknown>()

// the methods of the API take what the endpoint has, and any id; only a call with a preference may get 202
const raw = await client.api.executeWorkflow({
  params: { id: 'whatever' },
  headers: { prefer: 'respond-async' },
  body: { input: { amount: 5 }, options: { userId: 'ada' } },
})
if (!('result' in raw)) expectTypeOf(raw.status).toEqualTypeOf<'running'>()
expectTypeOf(
  (await client.api.executeWorkflow({ params: { id: 'x' }, body: { input: 1 } })).result,
).toEqualTypeOf<unknown>()
await client.api.executeWorkflow({
  params: { id: 'order' },
  // @ts-expect-error the header is called prefer
  headers: { prefre: 'respond-async' },
  body: { input: { amount: 5 } },
})
await client.executions({ status: 'suspended', limit: 5, metadata: { plan: 'pro' } })
await client.api.console.listPins()
// @ts-expect-error the methods for the console are apart
void client.api.listPins

// without the type of a configuration, and with one that does not know its workflows, any id is accepted
const untyped = createClient({ baseUrl: 'http://localhost:3141' })
const anything = await untyped.workflow('whatever').execute(1)
expectTypeOf(anything.result).toEqualTypeOf<unknown>()
for await (const event of untyped.api.followExecution({ params: { id: 'order', executionId: 'o-1' } }))
  expectTypeOf(event).toExtend<ExecutionEvent>()
await untyped.agent('whoever').generate('Hello')
await untyped.sendEvent({ name: 'payment', key: 'A', data: { cents: 5 } })
const none = defineConfig({ port: 0 })
await createClient<typeof none>({ baseUrl: '' }).workflow('whatever').describe()

// unknown options of a configuration do not compile
// @ts-expect-error the option is called port
defineConfig({ workflows: [order], prot: 3141 })
