import * as v from 'valibot'
import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../../src/agent/create-agent.ts'
import { createWorkflow } from '../../src/workflow/create-workflow.ts'
import { andAgent } from '../../src/workflow/steps/and-agent.ts'
import { andAll } from '../../src/workflow/steps/and-all.ts'
import { andRace } from '../../src/workflow/steps/and-race.ts'
import { andTap } from '../../src/workflow/steps/and-tap.ts'
import { andThen } from '../../src/workflow/steps/and-then.ts'
import { andWhen } from '../../src/workflow/steps/and-when.ts'
import { andWorkflow } from '../../src/workflow/steps/and-workflow.ts'
import type { TypedWorkflow } from '../../src/workflow/definition.ts'

type ResultOf<W> = W extends TypedWorkflow<infer _, infer Result> ? Result : never
type InputOf<W> = W extends TypedWorkflow<infer Input, infer _> ? Input : never

interface Order {
  orderId: string
  amount: number
}

const agent = createAgent({ id: 'support', name: 'Support', instructions: 'Help' })
const inputSchema = z.object({ orderId: z.string(), amount: z.number() })
const shipping = createWorkflow({
  id: 'shipping',
  inputSchema: z.object({ id: z.string(), parcels: z.number().default(1) }),
}).andThen({ id: 'send', execute: ({ data }) => ({ tracking: `${data.id}/${data.parcels.toFixed()}` }) })

// a complete chain of steps
const order = createWorkflow({ id: 'order', inputSchema, resultSchema: z.object({ status: z.string() }) })
  .andThen({
    id: 'charge',
    execute: async ({ data, input, signal, attempt, idempotencyKey }) => {
      expectTypeOf(data).toEqualTypeOf<Order>()
      expectTypeOf(input).toEqualTypeOf<Order>()
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>()
      expectTypeOf(attempt).toEqualTypeOf<number>()
      expectTypeOf(idempotencyKey).toEqualTypeOf<string>()
      return { ...data, charged: true }
    },
  })
  .andWhen({
    id: 'big',
    condition: ({ data }) => data.amount > 100 && data.charged,
    step: andThen({
      id: 'approve',
      resumeSchema: z.object({ ok: z.boolean() }),
      execute: async ({ data, suspend, resumeData }) => {
        expectTypeOf(data).toEqualTypeOf<{ orderId: string; amount: number; charged: boolean }>()
        expectTypeOf(resumeData).toEqualTypeOf<{ ok: boolean } | undefined>()
        return resumeData ? { ...data, ...resumeData } : suspend('over limit', { amount: data.amount })
      },
    }),
  })
  .andAll({
    id: 'both',
    steps: [
      andThen({ id: 'left', execute: async ({ data }) => data.amount }),
      andThen({ id: 'right', execute: ({ data }) => data.orderId }),
    ],
  })
  .andThen({
    id: 'sum',
    execute: ({ data }) => {
      expectTypeOf(data).toEqualTypeOf<[number, string]>()
      const [amount, id] = data
      return { text: `${id} ${amount.toFixed()}` }
    },
  })
  .andRace({
    id: 'first',
    steps: [
      andThen({ id: 'fast', execute: ({ data }) => data.text }),
      andThen({ id: 'slow', execute: async ({ data }) => data.text.length }),
    ],
  })
  .andTap({
    id: 'audit',
    execute: async ({ data }) => {
      expectTypeOf(data).toEqualTypeOf<string | number>()
    },
  })
  .andAgent({
    id: 'summary',
    agent,
    prompt: ({ data, input }) => `${data} of ${input.orderId}`,
    schema: z.object({ mood: z.enum(['good', 'bad']) }),
    map: ({ data, result }) => {
      expectTypeOf(data).toEqualTypeOf<string | number>()
      expectTypeOf(result.object).toEqualTypeOf<{ mood: 'good' | 'bad' }>()
      expectTypeOf(result.text).toEqualTypeOf<string>()
      return { mood: result.object.mood, data }
    },
  })
  .andWorkflow({
    id: 'ship',
    workflow: shipping,
    input: ({ data, input }) => ({ id: `${input.orderId} ${data.mood}` }),
  })
  .andThen({
    id: 'end',
    execute: ({ data, getStepResult }) => {
      expectTypeOf(data).toEqualTypeOf<{ tracking: string }>()
      expectTypeOf(getStepResult('charge')).toEqualTypeOf<unknown>()
      expectTypeOf(getStepResult<number>('left')).toEqualTypeOf<number | undefined>()
      return { status: data.tracking }
    },
  })
expectTypeOf<ResultOf<typeof order>>().toEqualTypeOf<{ status: string }>()
expectTypeOf<InputOf<typeof order>>().toEqualTypeOf<Order>()

// steps receive the output of the schema, callers pass its input
const parsed = createWorkflow({
  id: 'parsed',
  inputSchema: z.object({ n: z.string().transform(Number), size: z.number().default(1) }),
})
const parsing = parsed.andThen({ id: 'a', execute: ({ data }) => data })
expectTypeOf<InputOf<typeof parsing>>().toEqualTypeOf<{ n: string; size?: number | undefined }>()
expectTypeOf<ResultOf<typeof parsing>>().toEqualTypeOf<{ n: number; size: number }>()

// schemas of all libraries, and none
createWorkflow({ id: 'valibot', inputSchema: v.object({ n: v.number() }) }).andThen({
  id: 'a',
  execute: ({ data }) => data.n.toFixed(),
})
createWorkflow({ id: 'none' }).andThen({
  id: 'a',
  execute: ({ data }) => expectTypeOf(data).toEqualTypeOf<Record<string, unknown>>(),
})

// unknown fields do not compile in any step
const start = createWorkflow({ id: 'start', inputSchema })
start
  .andThen({ id: 'a', execute: ({ data }) => ({ left: data.amount }) })
  // @ts-expect-error the previous step returns no such field
  .andThen({ id: 'b', execute: ({ data }) => data.right })
// @ts-expect-error the input has no such field
start.andThen({ id: 'a', execute: ({ input }) => input.missing })
start.andWhen({
  id: 'a',
  // @ts-expect-error the data has no such field
  condition: ({ data }) => data.missing,
  step: andThen({ id: 'b', execute: () => 1 }),
})
start.andWhen({
  id: 'a',
  condition: () => true,
  // @ts-expect-error the data has no such field in a nested step either
  step: andThen({ id: 'b', execute: ({ data }) => data.missing }),
})
start.andAll({
  id: 'a',
  steps: [
    andThen({ id: 'b', execute: ({ data }) => data.amount }),
    // @ts-expect-error the data has no such field in a nested step either
    andThen({ id: 'c', execute: ({ data }) => data.missing }),
  ],
})
start.andRace({
  id: 'a',
  // @ts-expect-error the data has no such field in a nested step either
  steps: [andThen({ id: 'b', execute: ({ data }) => data.missing })],
})
// @ts-expect-error the data has no such field
start.andTap({ id: 'a', execute: ({ data }) => data.missing })
// @ts-expect-error the data has no such field
start.andAgent({ id: 'a', agent, prompt: ({ data }) => `${data.missing}` })
// @ts-expect-error the child requires an id
start.andWorkflow({ id: 'a', workflow: shipping, input: () => ({ parcels: 2 }) })

// nested kinds
const nested = start
  .andWhen({
    id: 'when',
    condition: ({ data }) => data.amount > 1,
    step: andAll({
      id: 'all',
      steps: [
        andThen({ id: 'a', execute: ({ data }) => data.amount }),
        andRace({
          id: 'race',
          steps: [
            andThen({ id: 'b', execute: ({ data }) => data.orderId }),
            andThen({ id: 'c', execute: () => true }),
          ],
        }),
        andTap({ id: 'tap', execute: ({ data }) => data.amount }),
      ],
    }),
  })
  .andThen({ id: 'end', execute: ({ data }) => data })
expectTypeOf<ResultOf<typeof nested>>().toEqualTypeOf<Order | [number, string | boolean, Order]>()

// agents: an object with a schema, otherwise text, or the result of map
const agents = start
  .andAgent({ id: 'text', agent, prompt: 'Hello' })
  .andThen({ id: 'a', execute: ({ data }) => data.text.length })
  .andAgent({
    id: 'object',
    agent,
    prompt: ({ data }) => data.toFixed(),
    schema: z.object({ n: z.number() }),
  })
  .andThen({ id: 'b', execute: ({ data }) => data.n.toFixed() })
  .andAgent({
    id: 'map',
    agent,
    prompt: 'Hello',
    map: ({ data, result }) => {
      expectTypeOf(result.object).toEqualTypeOf<undefined>()
      return [data, result.text] as const
    },
  })
expectTypeOf<ResultOf<typeof agents>>().toEqualTypeOf<readonly [string, string]>()
const inAll = start.andAll({
  id: 'all',
  steps: [
    andAgent({ id: 'a', agent, prompt: ({ data }) => data.orderId, schema: z.object({ n: z.number() }) }),
    andAgent({ id: 'b', agent, prompt: ({ data }) => data.orderId, map: ({ data }) => data.amount }),
    andAgent({ id: 'c', agent, prompt: 'Hello' }),
    andWorkflow({ id: 'd', workflow: shipping, input: ({ data }) => ({ id: data.orderId }) }),
  ],
})
expectTypeOf<ResultOf<typeof inAll>>().toEqualTypeOf<
  [{ n: number }, number, { text: string }, { tracking: string }]
>()

// suspend and resume have the types of their schemas
start.andThen({
  id: 'a',
  suspendSchema: z.object({ amount: z.number() }),
  resumeSchema: v.object({ ok: v.boolean() }),
  execute: ({ suspend, resumeData }) => {
    expectTypeOf(resumeData).toEqualTypeOf<{ ok: boolean } | undefined>()
    // wrong data does not change the type that the compiler names
    expectTypeOf(suspend<{ amount: string }>)
      .parameter(1)
      .toEqualTypeOf<{ amount: number } | undefined>()
    // @ts-expect-error the amount is a number
    if (!resumeData) suspend('why', { amount: 'much' })
    // @ts-expect-error the reason is a string
    if (!resumeData) suspend({ amount: 1 })
    // @ts-expect-error it has no such field
    if (resumeData?.missing) return suspend()
    return resumeData?.ok ?? suspend('why', { amount: 1 })
  },
})
const suspends = start.andThen({ id: 'a', execute: ({ suspend }) => suspend() })
expectTypeOf<ResultOf<typeof suspends>>().toEqualTypeOf<never>()

// a step's own input schema determines its data
start.andThen({
  id: 'a',
  inputSchema: z.object({ orderId: z.string().transform((id) => [id]) }),
  execute: ({ data }) => expectTypeOf(data).toEqualTypeOf<{ orderId: string[] }>(),
})

createWorkflow(
  { id: 'parses' },
  andThen({ id: 'a', inputSchema, execute: ({ data }) => data.amount }),
  andThen({ id: 'b', inputSchema: z.number(), execute: ({ data }) => data.toFixed() }),
)

// steps passed as arguments have the types of chained steps
const passed = createWorkflow(
  { id: 'passed', inputSchema },
  andThen({ id: 'a', execute: ({ data }) => ({ ...data, charged: data.amount > 0 }) }),
  andWhen({
    id: 'when',
    condition: ({ data }) => data.charged,
    step: andThen({
      id: 'b',
      execute: async ({ data, input }) => `${data.orderId} ${input.amount.toFixed()}`,
    }),
  }),
  andAll({
    id: 'all',
    steps: [andThen({ id: 'c', execute: ({ data }) => [data] }), andThen({ id: 'd', execute: () => 1 })],
  }),
  andTap({ id: 'tap', execute: ({ data }) => data[1].toFixed() }),
  andAgent({
    id: 'agent',
    agent,
    prompt: ({ data }) => data[1].toFixed(),
    schema: z.object({ n: z.number() }),
  }),
  andWorkflow({ id: 'ship', workflow: shipping, input: ({ data }) => ({ id: data.n.toFixed() }) }),
  andRace({
    id: 'race',
    steps: [
      andThen({ id: 'e', execute: ({ data }) => data.tracking }),
      andThen({ id: 'f', execute: () => 2 }),
    ],
  }),
  andThen({ id: 'end', execute: ({ data, input }) => [data, input.orderId] as const }),
)
expectTypeOf<ResultOf<typeof passed>>().toEqualTypeOf<readonly [string | number, string]>()
expectTypeOf<InputOf<typeof passed>>().toEqualTypeOf<Order>()
createWorkflow(
  { id: 'wrong', inputSchema },
  andThen({ id: 'a', execute: ({ data }) => ({ left: data.amount }) }),
  // @ts-expect-error the previous step returns no such field
  andThen({ id: 'b', execute: ({ data }) => data.right }),
)
const passedOn = createWorkflow({ id: 'on', inputSchema }, andThen({ id: 'a', execute: () => 1 })).andThen({
  id: 'b',
  execute: ({ data }) => data.toFixed(),
})
expectTypeOf<ResultOf<typeof passedOn>>().toEqualTypeOf<string>()

// steps that are declared separately declare their data
const apart = andThen({ id: 'apart', execute: ({ data }: { data: { amount: number } }) => data.amount * 2 })
const fits = start.andWhen({ id: 'w', condition: () => true, step: apart })
expectTypeOf<ResultOf<typeof fits>>().toEqualTypeOf<Order | number>()

// a step may return anything, or nothing
const anything = createWorkflow({ id: 'any' }, andThen({ id: 'a', execute: () => JSON.parse('1') }))
expectTypeOf<ResultOf<typeof anything>>().toEqualTypeOf<any>()
const nothing = createWorkflow({ id: 'nothing' }, andThen({ id: 'a', execute: () => undefined }))
expectTypeOf<ResultOf<typeof nothing>>().toEqualTypeOf<null>()
const untyped = createWorkflow({ id: 'untyped' }, andThen({ id: 'a', execute: (): unknown => 1 }))
expectTypeOf<ResultOf<typeof untyped>>().toEqualTypeOf<unknown>()
const empty = createWorkflow({ id: 'empty', inputSchema })
expectTypeOf<ResultOf<typeof empty>>().toEqualTypeOf<Order>()
const rejects = createWorkflow({ id: 'rejects' }, andThen({ id: 'a', execute: ({ suspend }) => suspend() }))
expectTypeOf<ResultOf<typeof rejects>>().toEqualTypeOf<never>()

// branches, items and loops: inline steps have the type of the data, or of its items; with `items` they declare it
const lines = createWorkflow({
  id: 'lines',
  inputSchema: z.object({ lines: z.array(z.object({ cents: z.number() })) }),
})
  .andForEach({
    id: 'prices',
    items: ({ data }) => data.lines,
    step: andThen({
      id: 'price',
      execute: ({ data, index }: { data: { cents: number }; index: number }) => {
        return data.cents + index
      },
    }),
  })
  .andForEach({
    id: 'parts',
    onError: 'continue',
    step: andAll({
      id: 'both',
      steps: [
        andThen({ id: 'text', execute: ({ data }) => data.toFixed() }),
        andThen({ id: 'twice', execute: ({ data }) => data * 2 }),
      ],
    }),
  })
  .andThen({
    id: 'sum',
    execute: ({ data }) => {
      expectTypeOf(data).toEqualTypeOf<
        ([string, number] | { readonly error: { readonly message: string } })[]
      >()
      return data.length
    },
  })
  .andDoWhile({
    id: 'grow',
    step: andThen({ id: 'more', execute: ({ data }) => data + 1 }),
    condition: ({ data }) => data < 10,
  })
  .andBranch({
    id: 'route',
    branches: [
      {
        when: ({ data }) => data > 10,
        step: andThen({ id: 'large', execute: ({ data }) => ({ large: data }) }),
      },
      { when: () => true, step: andThen({ id: 'small', execute: ({ data }) => String(data) }) },
    ],
  })
expectTypeOf<ResultOf<typeof lines>>().toEqualTypeOf<number | string | { large: number }>()

// @ts-expect-error -- the data is not an array, and nothing chooses the items
shipping.andForEach({ id: 'each', step: andThen({ id: 'one', execute: ({ data }) => data }) })

shipping.andForEach({
  id: 'each',
  // @ts-expect-error -- the items have another type than the step's data
  items: () => ['text'],
  step: andThen({ id: 'one', execute: ({ data }: { data: number }) => data }),
})

// starting from code
async function startsTyped(): Promise<void> {
  const started = await shipping.start({ id: 'A-1' }, { executionId: 'one', userId: 'ada' })
  const { status, result } = await started.result()
  expectTypeOf(result).toEqualTypeOf<{ tracking: string } | null>()
  expectTypeOf(status).toExtend<string>()
  expectTypeOf((await order.execute({ orderId: 'A', amount: 1 })).result).toEqualTypeOf<{
    status: string
  } | null>()
  // @ts-expect-error the id is a string
  await shipping.start({ id: 1 })
  // @ts-expect-error there is no such option
  await shipping.start({ id: 'A-1' }, { user: { id: 'ada' } })
}
void startsTyped
