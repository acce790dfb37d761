import { andAgent, createAgent, createWorkflow } from 'agentserver'
import { type } from 'arktype'
import { z } from 'zod'

// Compiled by `npm run check:types`: the schema of an answer, or a function that chooses it.

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <A, B>(_: Equal<A, B>): void => undefined
const agent = createAgent({ id: 'support', name: 'Support', instructions: 'Help' })
const start = createWorkflow({ id: 'start', inputSchema: z.object({ kinds: z.array(z.string()) }) })
start
  .andAgent({ id: 'a', agent, prompt: 'Hello', schema: ({ data }) => z.object({ kind: z.enum(data.kinds) }) })
  .andThen({
    id: 'x',
    execute: ({ data, results }) => {
      same<typeof data, { kind: string }>(true)
      return results.a.kind
    },
  })
  .andAgent({
    id: 'b',
    agent,
    prompt: 'Hello',
    schema: async ({ results }) => z.object({ n: z.literal(results.x) }),
    map: ({ result }) => [result.object.n],
  })
  .andThen({
    id: 'y',
    execute: ({ data }) => {
      same<typeof data, string[]>(true)
      return data
    },
  })
  .andAgent({ id: 'c', agent, prompt: 'Hello', schema: type({ n: 'number' }) })
  .andThen({
    id: 'z',
    execute: ({ data }) => {
      same<typeof data, { n: number }>(true)
      return data
    },
  })
  .andAgent({ id: 'd', agent, prompt: 'Hello' })
  .andThen({
    id: 'q',
    execute: ({ data }) => {
      same<typeof data, { text: string }>(true)
      return data
    },
  })
  .andAll({
    id: 'all',
    steps: [
      andAgent({
        id: 'e',
        agent,
        prompt: 'Hello',
        schema: ({ data }) => z.object({ t: z.literal(data.text) }),
      }),
    ],
  })
  .andThen({
    id: 'r',
    execute: ({ data }) => {
      same<typeof data, [{ t: string }]>(true)
      return data
    },
  })
// @ts-expect-error needs map
start.andAgent({ id: 'a', agent, prompt: 'Hello', schema: () => z.object({ at: z.coerce.date() }) })
// @ts-expect-error no schema
start.andAgent({ id: 'a', agent, prompt: 'Hello', schema: () => 5 })
function asked<S extends z.ZodObject>(schema: S) {
  return start.andAgent({ id: 'a', agent, prompt: 'Hello', schema })
}
const asking = asked(z.object({ mood: z.enum(['good', 'bad']) }))
asking.andThen({
  id: 'm',
  execute: ({ data }) => {
    same<typeof data, { mood: 'good' | 'bad' }>(true)
    return 1
  },
})
