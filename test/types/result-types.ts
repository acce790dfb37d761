import {
  andAgent,
  andAll,
  andBranch,
  andTap,
  andThen,
  andWhen,
  createAgent,
  createWorkflow,
} from 'agentserver'
import { z } from 'zod'

// Compiled by `npm run check:types`: which results the functions of a step can read, and of which types.

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <A, B>(_: Equal<A, B>): void => undefined

const agent = createAgent({ id: 'support', name: 'Support', instructions: 'Help' })
const inputSchema = z.object({ orderId: z.string(), cents: z.number() })
const start = createWorkflow({ id: 'start', inputSchema })

// the steps before, and no others
start
  .andThen({
    id: 'total',
    execute: ({ data, results }) => {
      same<keyof typeof results, never>(true)
      return { totalCents: data.cents * 2 }
    },
  })
  .andTap({ id: 'log', execute: ({ results }) => results.total.totalCents.toFixed() })
  .andThen({
    id: 'end',
    execute: ({ results }) => {
      same<keyof typeof results, 'total' | 'log'>(true)
      same<typeof results.total, { totalCents: number }>(true)
      same<typeof results.log, { totalCents: number }>(true)
      // @ts-expect-error -- there is no such step
      void results.totals
      // @ts-expect-error -- the step runs later
      void results.end
      return results.total.totalCents
    },
  })

// in each function of a step, with the types of each kind; steps that may not have run may be undefined
start
  .andAll({
    id: 'all',
    steps: [
      andAgent({
        id: 'mood',
        agent,
        prompt: ({ data }) => data.orderId,
        schema: z.object({ n: z.number() }),
      }),
      andAgent({ id: 'text', agent, prompt: 'Hello', map: ({ data }) => data.cents }),
      andThen({ id: 'cents', execute: ({ data }) => data.cents }),
      andWhen({
        id: 'deep',
        condition: () => true,
        step: andThen({ id: 'deeper', execute: ({ data }) => [data.cents] }),
      }),
    ],
  })
  .andWhen({
    id: 'when',
    condition: ({ results }) => results.mood.n > 1 && (results.deeper?.[0] ?? 1) > 1,
    step: andThen({ id: 'then', execute: ({ results }) => results.text + results.all[2] }),
  })
  .andBranch({
    id: 'branch',
    branches: [
      { when: ({ results }) => results.then === 1, step: andThen({ id: 'one', execute: () => 'one' }) },
      { when: () => true, step: andTap({ id: 'two', execute: ({ results }) => results.when }) },
    ],
    otherwise: andThen({ id: 'other', execute: ({ results }) => results.cents > 1 }),
  })
  .andRace({
    id: 'race',
    steps: [
      andThen({ id: 'left', execute: ({ results }) => results.other ?? null }),
      andThen({ id: 'right', execute: () => 1 }),
    ],
  })
  .andSleep({ id: 'sleep', for: ({ results }) => results.cents })
  .andSleepUntil({ id: 'until', until: ({ results }) => new Date(results.cents) })
  .andWaitForEvent({
    id: 'paid',
    event: 'payment',
    key: ({ results }) => results.one ?? '',
    schema: z.object({ ok: z.boolean() }),
  })
  .andForEach({
    id: 'each',
    items: ({ results }) => [results.cents],
    step: andThen({
      id: 'item',
      execute: ({ data, results }: { data: number; results: { cents: number } }) => data + results.cents,
    }),
  })
  .andThen({ id: 'zero', execute: () => 0 })
  .andDoWhile({
    id: 'loop',
    step: andThen({ id: 'round', execute: ({ data, results }) => data + results.cents }),
    condition: ({ data, results }) => data < results.cents,
  })
  .andAgent({ id: 'note', agent, prompt: ({ results }) => `${results.loop}` })
  .andThen({
    id: 'end',
    execute: ({ results }) => {
      same<
        keyof typeof results,
        | ('all' | 'mood' | 'text' | 'cents' | 'deep' | 'deeper')
        | ('when' | 'then')
        | ('branch' | 'one' | 'two' | 'other')
        | ('race' | 'left' | 'right')
        | ('sleep' | 'until' | 'paid' | 'each' | 'zero' | 'loop' | 'note')
      >(true)
      same<typeof results.mood, { n: number }>(true)
      same<typeof results.deeper, number[] | undefined>(true)
      same<typeof results.two, typeof results.when | undefined>(true)
      same<typeof results.race, boolean | number | null>(true)
      same<typeof results.left, boolean | null | undefined>(true)
      same<typeof results.paid, { ok: boolean }>(true)
      same<typeof results.each, number[]>(true)
      same<typeof results.note, { text: string }>(true)
      // @ts-expect-error -- a step in rounds has many results
      void results.item
      return null
    },
  })

// steps that are passed as arguments
createWorkflow(
  { id: 'passed', inputSchema },
  andThen({ id: 'a', execute: ({ data }) => data.cents }),
  andBranch({
    id: 'b',
    branches: [
      {
        when: ({ results }) => results.a > 1,
        step: andThen({ id: 'c', execute: ({ results }) => results.a }),
      },
    ],
  }),
  andAll({ id: 'd', steps: [andThen({ id: 'e', execute: ({ results }) => String(results.c) })] }),
).andThen({
  id: 'end',
  execute: ({ results }) => {
    same<keyof typeof results, 'a' | 'b' | 'c' | 'd' | 'e'>(true)
    same<typeof results.e, string>(true)
    return null
  },
})

// a step that is declared apart declares what it reads, and fits where that is
const apart = andThen({
  id: 'apart',
  execute: ({ data, results }: { data: number; results: { total: number } }) => data + results.total,
})
start
  .andThen({ id: 'total', execute: ({ data }) => data.cents })
  .andWhen({ id: 'when', condition: () => true, step: apart })
start.andThen({ id: 'sum', execute: ({ data }) => data.cents }).andWhen({
  id: 'when',
  condition: () => true,
  // @ts-expect-error -- there is no total before
  step: apart,
})
start
  .andThen({ id: 'total', execute: ({ data }) => data.cents })
  .and(apart)
  .andThen({
    id: 'end',
    execute: ({ data, results }) => {
      same<[typeof data, typeof results.apart], [number, number]>(true)
      return null
    },
  })
// @ts-expect-error -- the data is no number
start.and(apart)
// @ts-expect-error -- what is not declared is not known
andThen({ id: 'undeclared', execute: ({ results }) => results.total })

// an id that the compiler does not know hides no other
const idOf = (name: string) => `step-${name}`
start
  .andThen({ id: idOf('one'), execute: () => 1 })
  .andThen({ id: 'two', execute: () => 2 })
  .andThen({
    id: 'three',
    execute: ({ results }) => {
      same<keyof typeof results, 'two'>(true)
      return null
    },
  })

// a long chain stays within the depth of the compiler
const long = start
  .andThen({ id: 's1', execute: ({ data }) => ({ ...data, s1: 1 }) })
  .andThen({ id: 's2', execute: ({ results }) => ({ s2: results.s1.s1 }) })
  .andThen({ id: 's3', execute: ({ results }) => ({ s3: results.s1.s1 }) })
  .andThen({ id: 's4', execute: ({ results }) => ({ s4: results.s1.s1 }) })
  .andWhen({
    id: 's5',
    condition: ({ data, results }) => data.s4 > 1 && results.s1.s1 > 1,
    step: andThen({ id: 'in5', execute: ({ results }) => ({ s5: results.s4.s4 }) }),
  })
  .andThen({ id: 'out5', execute: () => ({ s5: 5 }) })
  .andThen({ id: 's6', execute: ({ results }) => ({ s6: results.s1.s1 }) })
  .andThen({ id: 's7', execute: ({ results }) => ({ s7: results.s1.s1 }) })
  .andThen({ id: 's8', execute: ({ results }) => ({ s8: results.s1.s1 }) })
  .andThen({ id: 's9', execute: ({ results }) => ({ s9: results.s1.s1 }) })
  .andWhen({
    id: 's10',
    condition: ({ data, results }) => data.s9 > 1 && results.s1.s1 > 1,
    step: andThen({ id: 'in10', execute: ({ results }) => ({ s10: results.s9.s9 }) }),
  })
  .andThen({ id: 'out10', execute: () => ({ s10: 10 }) })
  .andThen({ id: 's11', execute: ({ results }) => ({ s11: results.s1.s1 }) })
  .andThen({ id: 's12', execute: ({ results }) => ({ s12: results.s1.s1 }) })
  .andThen({ id: 's13', execute: ({ results }) => ({ s13: results.s1.s1 }) })
  .andThen({ id: 's14', execute: ({ results }) => ({ s14: results.s1.s1 }) })
  .andWhen({
    id: 's15',
    condition: ({ data, results }) => data.s14 > 1 && results.s1.s1 > 1,
    step: andThen({ id: 'in15', execute: ({ results }) => ({ s15: results.s14.s14 }) }),
  })
  .andThen({ id: 'out15', execute: () => ({ s15: 15 }) })
  .andThen({ id: 's16', execute: ({ results }) => ({ s16: results.s1.s1 }) })
  .andThen({ id: 's17', execute: ({ results }) => ({ s17: results.s1.s1 }) })
  .andThen({ id: 's18', execute: ({ results }) => ({ s18: results.s1.s1 }) })
  .andThen({ id: 's19', execute: ({ results }) => ({ s19: results.s1.s1 }) })
  .andWhen({
    id: 's20',
    condition: ({ data, results }) => data.s19 > 1 && results.s1.s1 > 1,
    step: andThen({ id: 'in20', execute: ({ results }) => ({ s20: results.s19.s19 }) }),
  })
  .andThen({ id: 'out20', execute: () => ({ s20: 20 }) })
  .andThen({ id: 's21', execute: ({ results }) => ({ s21: results.s1.s1 }) })
  .andThen({ id: 's22', execute: ({ results }) => ({ s22: results.s1.s1 }) })
  .andThen({ id: 's23', execute: ({ results }) => ({ s23: results.s1.s1 }) })
  .andThen({ id: 's24', execute: ({ results }) => ({ s24: results.s1.s1 }) })
  .andWhen({
    id: 's25',
    condition: ({ data, results }) => data.s24 > 1 && results.s1.s1 > 1,
    step: andThen({ id: 'in25', execute: ({ results }) => ({ s25: results.s24.s24 }) }),
  })
  .andThen({ id: 'out25', execute: () => ({ s25: 25 }) })
  .andThen({ id: 's26', execute: ({ results }) => ({ s26: results.s1.s1 }) })
  .andThen({ id: 's27', execute: ({ results }) => ({ s27: results.s1.s1 }) })
  .andThen({ id: 's28', execute: ({ results }) => ({ s28: results.s1.s1 }) })
  .andThen({ id: 's29', execute: ({ results }) => ({ s29: results.s1.s1 }) })
  .andWhen({
    id: 's30',
    condition: ({ data, results }) => data.s29 > 1 && results.s1.s1 > 1,
    step: andThen({ id: 'in30', execute: ({ results }) => ({ s30: results.s29.s29 }) }),
  })
  .andThen({ id: 'out30', execute: () => ({ s30: 30 }) })
  .andThen({
    id: 'last',
    execute: ({ results }) => {
      same<typeof results.s1, { s1: number; orderId: string; cents: number }>(true)
      same<typeof results.s29, { s29: number }>(true)
      return results.out15.s15 + results.out30.s30
    },
  })
same<NonNullable<(typeof long)['~types']>, (input: { orderId: string; cents: number }) => number>(true)
