import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import {
  createAgent,
  createTool,
  startWorkflow,
  type CompletedAnswer,
  type PendingAnswer,
} from '../../src/index.ts'

const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Be brief.' })
const days = z.object({ days: z.string().transform(Number) })

// the schema determines the object
const text = await clerk.generate('Hi', { userId: 'ada', temperature: 0.5 })
expectTypeOf(text).toEqualTypeOf<CompletedAnswer>()
expectTypeOf(text.object).toEqualTypeOf<undefined>()
const object = await clerk.generate([{ role: 'user', content: 'Hi' }], { schema: days })
expectTypeOf(object.object).toEqualTypeOf<{ days: number }>()

// only an answer that may be resumed may wait
const resumable = await clerk.generate('Hi', { schema: days, resumable: true })
expectTypeOf(resumable).toEqualTypeOf<CompletedAnswer<{ days: number }> | PendingAnswer>()
if (resumable.status === 'suspended')
  expectTypeOf(resumable.approvals[0]?.toolName).toEqualTypeOf<string | undefined>()
else expectTypeOf(resumable.object.days).toEqualTypeOf<number>()
expectTypeOf(await clerk.generate('Hi', { resumable: false })).toEqualTypeOf<CompletedAnswer>()

// the schema determines the parts, and the result
for await (const part of clerk.stream('Hi'))
  if (part.type === 'text-delta') expectTypeOf(part.text).toEqualTypeOf<string>()
const streamed = clerk.stream('Hi', { schema: days })
for await (const part of streamed)
  expectTypeOf(part.type).toEqualTypeOf<'object-delta' | 'finish' | 'error' | 'abort'>()
expectTypeOf((await streamed.result).object).toEqualTypeOf<{ days: number }>()

// @ts-expect-error the input is a text or a list of messages
await clerk.generate(7)
// @ts-expect-error there is no such option
await clerk.generate('Hi', { temprature: 1 })

// a tool takes what its schema takes, and returns what its function, or its output schema, returns
const double = createTool({
  name: 'double',
  description: 'Doubles',
  inputSchema: z.object({ n: z.number().default(1) }),
  execute: ({ n }) => ({ twice: n * 2 }),
})
expectTypeOf(await double.run({})).toEqualTypeOf<{ twice: number }>()
// @ts-expect-error n is a number
await double.run({ n: 'x' })
const dated = createTool({
  name: 'dated',
  description: 'A day',
  inputSchema: z.object({}),
  outputSchema: z.object({ day: z.string().transform((day) => day.length) }),
  execute: () => ({ day: 'Monday' }),
})
expectTypeOf(await dated.run({}, { approve: true })).toEqualTypeOf<{ day: number }>()
const silent = createTool({
  name: 'silent',
  description: 'No result',
  inputSchema: z.object({}),
  execute: () => undefined,
})
expectTypeOf(await silent.run({})).toEqualTypeOf<null>()
// a client executes the calls of a tool without a function
const pick = createTool({ name: 'pick', description: 'Picks', inputSchema: z.object({}) })
// @ts-expect-error it can't be called here
await pick.run({})

// without a registered configuration, any id, input and result
const started = await startWorkflow('anything', { n: 1 })
expectTypeOf((await started.result()).result).toEqualTypeOf<unknown>()
