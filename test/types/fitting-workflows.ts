import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../../src/agent/create-agent.ts'
import { defineConfig } from '../../src/config/config.ts'
import type { JsonValue } from '../../src/lib/json/json-value.ts'
import { createTestRunner } from '../../src/testing/index.ts'
import { createWorkflow } from '../../src/workflow/create-workflow.ts'
import type { TypedWorkflow } from '../../src/workflow/definition.ts'
import { andAgent } from '../../src/workflow/steps/and-agent.ts'
import { andThen } from '../../src/workflow/steps/and-then.ts'
import { andWorkflow } from '../../src/workflow/steps/and-workflow.ts'

type ResultOf<W> = W extends TypedWorkflow<infer _, infer Result> ? Result : never

const start = createWorkflow({ id: 'start', inputSchema: z.object({ cents: z.number() }) })

// the result of a step must be JSON
// @ts-expect-error a Date is not JSON
start.andThen({ id: 'a', execute: () => ({ when: new Date() }) })
// @ts-expect-error not when it is returned alone
start.andThen({ id: 'a', execute: () => new Date() })
// @ts-expect-error not in a promise, an array or an optional member
start.andThen({ id: 'a', execute: async () => ({ list: [{ when: new Date() as Date | undefined }] }) })
// @ts-expect-error a Map is not JSON
start.andThen({ id: 'a', execute: () => ({ map: new Map<string, number>() }) })
// @ts-expect-error a Set is not JSON
start.andThen({ id: 'a', execute: async () => new Set([1]) })
// @ts-expect-error a bigint is not JSON
start.andThen({ id: 'a', execute: () => 10n })
// @ts-expect-error a function is not JSON
start.andThen({ id: 'a', execute: () => ({ call: () => 1 }) })
// @ts-expect-error a buffer is not JSON
start.andThen({ id: 'a', execute: () => ({ bytes: Buffer.from('a') }) })
// @ts-expect-error undefined in an array is not JSON
start.andThen({ id: 'a', execute: () => ({ list: [1, 2].map((n) => (n > 1 ? n : undefined)) }) })
// @ts-expect-error a class with methods is not JSON
start.andThen({ id: 'a', execute: () => new URL('http://localhost') })
// @ts-expect-error also in a step that is declared apart
andThen({ id: 'a', execute: () => ({ when: new Date() }) })
const agent = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Help' })
// @ts-expect-error also the result of map
andAgent({ id: 'a', agent, prompt: 'Hello', map: () => ({ when: new Date() }) })

// what is stored besides results must be JSON too: inputs, suspend data, payloads of events, objects of agents
// @ts-expect-error the input is stored as the schema returns it
createWorkflow({ id: 'dated', inputSchema: z.object({ when: z.coerce.date() }) })
// @ts-expect-error so is the result
createWorkflow({ id: 'dated', resultSchema: z.object({ when: z.date() }) })
createWorkflow({ id: 'dated', inputSchema: z.object({ when: z.coerce.date().transform(String) }) })
start.andThen({
  id: 'a',
  suspendSchema: z.object({ when: z.date() }),
  // @ts-expect-error nor may a suspend schema accept what is not JSON
  execute: ({ suspend }) => suspend('why', { when: new Date() }),
})
start.andThen({
  id: 'a',
  // the data of one step is not stored as its own schema returns it
  inputSchema: z.object({ when: z.coerce.date() }),
  execute: ({ data, emit, suspend }) => {
    emit('seen', { cents: 1 })
    // @ts-expect-error a Date is not JSON
    emit('seen', { when: data.when })
    // @ts-expect-error a Date is not JSON
    if (data.when.getTime() > 0) suspend('why', { when: data.when })
    return suspend('why', { cents: 1 })
  },
})
const Dated = z.object({ when: z.coerce.date() })
// @ts-expect-error the agent's object is the result
start.andAgent({ id: 'a', agent, prompt: 'Hello', schema: Dated })
start.andAgent({
  id: 'a',
  agent,
  prompt: 'Hello',
  schema: Dated,
  map: ({ result }) => result.object.when.getTime(),
})

// whatever can be awaited may be returned
declare const query: PromiseLike<{ rows: number[] }>
const queried = start.andThen({ id: 'a', execute: () => query })
expectTypeOf<ResultOf<typeof queried>>().toEqualTypeOf<{ rows: number[] }>()

interface Tree {
  readonly name: string
  readonly parent?: Tree
  readonly children: readonly Tree[]
}
const tree: Tree = { name: 'root', children: [] }
const json = JSON.parse('1') as JsonValue
const kept = start
  .andThen({ id: 'interface', execute: () => tree })
  .andThen({ id: 'optional', execute: ({ data }) => ({ name: data.name as string | undefined }) })
  .andThen({ id: 'branded', execute: () => 'x' as string & z.$brand<'Id'> })
  .andThen({ id: 'json', execute: async () => json })
  .andThen({ id: 'record', execute: (): Record<string, unknown> => ({}) })
  .andThen({ id: 'tuple', execute: () => [1, 'x', null] as const })
  .andThen({
    id: 'union',
    execute: ({ data }) => {
      if (data[0] > 1) return { paid: true, cents: 1 }
      return { paid: false, reason: 'no money' }
    },
  })
  .andThen({ id: 'end', execute: ({ data }) => data.reason ?? String(data.cents) })
expectTypeOf<ResultOf<typeof kept>>().toEqualTypeOf<string>()

// undefined is stored as null
const found = start.andThen({ id: 'a', execute: ({ data }) => [data].find(({ cents }) => cents > 1) })
expectTypeOf<ResultOf<typeof found>>().toEqualTypeOf<{ cents: number } | null>()
const done = start.andThen({ id: 'a', execute: async () => Promise.resolve() })
expectTypeOf<ResultOf<typeof done>>().toEqualTypeOf<null>()

// with an output schema the function returns its input, and the result is its output
const State = z.object({
  state: z.enum(['open', 'paid']),
  at: z.string().transform(Number),
  n: z.number().default(1),
})
const parsed = start.andThen({
  id: 'a',
  outputSchema: State,
  execute: ({ data }) => ({ state: data.cents > 1 ? 'open' : 'paid', at: '1' }),
})
expectTypeOf<ResultOf<typeof parsed>>().toEqualTypeOf<{ state: 'open' | 'paid'; at: number; n: number }>()
const either = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), cents: z.number() }),
  z.object({ ok: z.literal(false) }),
])
start.andThen({
  id: 'a',
  outputSchema: either,
  execute: async ({ data: { cents } }) => (cents > 1 ? { ok: true, cents } : { ok: false }),
})
start.andThen({
  id: 'a',
  outputSchema: State,
  // @ts-expect-error at is a string
  execute: () => ({ state: 'open', at: 1 }),
})
// @ts-expect-error at is missing
start.andThen({ id: 'a', outputSchema: State, execute: async () => ({ state: 'open' as const }) })
// @ts-expect-error the schema's output is not JSON
start.andThen({ id: 'a', outputSchema: z.date(), execute: () => new Date() })
start.andThen({ id: 'a', outputSchema: z.date().transform(String), execute: () => new Date() })
start.andThen({ id: 'a', outputSchema: { type: 'object' }, execute: () => tree })

// a misspelled option is the error, not the ones beside it
start.andThen({
  id: 'a',
  outputSchema: State,
  // @ts-expect-error the option is called execute
  exceute: () => ({ state: 'open', at: '1' }),
})

// the last result must fit the result schema
const resultSchema = z.object({ paid: z.boolean(), note: z.string().optional() })
const fits = createWorkflow({ id: 'fits', resultSchema }).andThen({
  id: 'a',
  execute: () => ({ paid: true }),
})
const wrong = createWorkflow({ id: 'wrong', resultSchema }).andThen({ id: 'a', execute: () => ({ paid: 1 }) })
const passed = createWorkflow(
  { id: 'passed', resultSchema },
  andThen({ id: 'a', execute: () => ({ paid: 1 }) }),
  andThen({ id: 'b', execute: ({ data }) => ({ paid: data.paid > 0 }) }),
)
createWorkflow(
  // @ts-expect-error paid is a string: steps that are passed are checked at the workflow
  { id: 'refused', resultSchema },
  andThen({ id: 'a', execute: () => ({ paid: 'x' }) }),
)
const later = wrong.andThen({ id: 'b', execute: ({ data }) => ({ paid: data.paid > 0, more: 1 }) })
defineConfig({ workflows: [fits, later] })
// @ts-expect-error paid is a number
defineConfig({ workflows: [fits, wrong] })
defineConfig({ workflows: [passed] })
// @ts-expect-error paid is a number
createTestRunner([wrong])
// @ts-expect-error paid is a number
start.andWorkflow({ id: 'a', workflow: wrong, input: () => ({}) })
// literals of the result schema need no annotation, and change no other type
const Outcome = z.object({
  state: z.enum(['open', 'paid']),
  list: z.array(z.object({ ok: z.literal(true) })),
})
const outcome = createWorkflow({ id: 'outcome', resultSchema: Outcome })
const literals = outcome
  .andThen({ id: 'a', execute: ({ input }) => ({ id: String(input['id']), paid: true, sums: [1] }) })
  .andThen({
    id: 'b',
    execute: async ({ data }) => {
      expectTypeOf(data).toEqualTypeOf<{ id: string; paid: boolean; sums: number[] }>()
      return { state: data.paid ? 'paid' : 'open', list: data.sums.map(() => ({ ok: true })) }
    },
  })
const constant = outcome.andThen({ id: 'a', execute: () => ({ state: 'open', list: [] }) })
const misspelt = outcome.andThen({ id: 'a', execute: () => ({ state: 'opne', list: [] }) })
defineConfig({ workflows: [literals, constant] })
// @ts-expect-error there is no such state
defineConfig({ workflows: [misspelt] })
outcome
  .andThen({ id: 'a', execute: (): z.infer<typeof Outcome> => ({ state: 'open', list: [] }) })
  .andThen({ id: 'b', execute: ({ data }) => expectTypeOf(data).toEqualTypeOf<z.infer<typeof Outcome>>() })
  .andThen({ id: 'c', execute: () => json })
  .andThen({ id: 'd', execute: ({ data }) => expectTypeOf(data).toEqualTypeOf<JsonValue>() })
// @ts-expect-error a Date is not JSON
outcome.andThen({ id: 'a', execute: () => ({ when: new Date() }) })
createWorkflow({ id: 'any-result', resultSchema: z.any() })
  .andThen({ id: 'a', execute: () => ({ n: 1 }) })
  .andThen({ id: 'b', execute: ({ data }) => expectTypeOf(data).toEqualTypeOf<{ n: number }>() })
const plain = createWorkflow({ id: 'plain', resultSchema: { type: 'object' } })
defineConfig({ workflows: [plain.andThen({ id: 'a', execute: () => tree })] })

// a child whose input does not fit the data needs the option input
const child = createWorkflow({
  id: 'child',
  inputSchema: z.object({ cents: z.number(), note: z.string().optional() }),
}).andThen({ id: 'a', execute: ({ data }) => data.cents })
start.andWorkflow({ id: 'a', workflow: child })
start.andThen({ id: 'a', execute: () => ({ cents: 1, more: 2 }) }).andWorkflow({ id: 'b', workflow: child })
// @ts-expect-error the cents are missing
start.andThen({ id: 'a', execute: () => ({ euros: 1 }) }).andWorkflow({ id: 'b', workflow: child })
start
  .andThen({ id: 'a', execute: () => ({ euros: 1 }) })
  .andWorkflow({ id: 'b', workflow: child, input: ({ data }) => ({ cents: data.euros * 100 }) })
// @ts-expect-error the input has no cents
start.andWorkflow({ id: 'b', workflow: child, input: ({ data }) => ({ cent: data.cents }) })
start.andAll({ id: 'all', steps: [andWorkflow({ id: 'a', workflow: child })] })
const texts = start.andThen({ id: 'a', execute: () => 'text' })
// @ts-expect-error a text is not the child's input, in a nested step either
texts.andWhen({ id: 'b', condition: () => true, step: andWorkflow({ id: 'c', workflow: child }) })
const anyObject = createWorkflow({ id: 'any-object' }).andThen({ id: 'a', execute: () => 1 })
const emptyObject = createWorkflow({ id: 'empty', inputSchema: z.object({}) }).andThen({
  id: 'a',
  execute: () => 1,
})
start.andThen({ id: 'a', execute: () => tree }).andWorkflow({ id: 'b', workflow: anyObject })
start.andWorkflow({ id: 'b', workflow: emptyObject })
// @ts-expect-error a text is not an object
texts.andWorkflow({ id: 'b', workflow: anyObject })

// the result of a step by the step itself
const charge = andThen({ id: 'charge', execute: () => ({ chargeId: 'c1' }) })
start.andAll({ id: 'all', steps: [charge] }).andThen({
  id: 'end',
  execute: ({ getStepResult }) => {
    expectTypeOf(getStepResult(charge)).toEqualTypeOf<{ chargeId: string } | undefined>()
    expectTypeOf(getStepResult('charge')).toEqualTypeOf<unknown>()
    expectTypeOf(getStepResult<number>('charge')).toEqualTypeOf<number | undefined>()
    // @ts-expect-error the result has no such field
    return getStepResult(charge)?.missing ?? null
  },
})

// a function may be generic in a schema; the last result is checked where the schema is known
function created<S extends z.ZodObject>(schema: S) {
  return createWorkflow({ id: 'created', inputSchema: schema }).andThen({
    id: 'a',
    execute: ({ data }) => Object.keys(data).length,
  })
}
function finished<const Id extends string, S extends z.ZodType>(id: Id, schema: S) {
  return createWorkflow({ id, resultSchema: schema })
}
function asked<S extends z.ZodObject>(schema: S) {
  return start.andAgent({ id: 'a', agent, prompt: 'Hello', schema })
}
const generic = created(z.object({ cents: z.number() }))
expectTypeOf<ResultOf<typeof generic>>().toEqualTypeOf<number>()
const asking = asked(z.object({ mood: z.enum(['good', 'bad']) }))
expectTypeOf<ResultOf<typeof asking>>().toEqualTypeOf<{ mood: 'good' | 'bad' }>()
const finish = finished('finish', z.object({ paid: z.boolean() }))
defineConfig({
  workflows: [generic, asking, finish.andThen({ id: 'a', execute: () => ({ paid: true }) })],
})
// @ts-expect-error paid is a number
defineConfig({ workflows: [finish.andThen({ id: 'a', execute: () => ({ paid: 1 }) })] })
