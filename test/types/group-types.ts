import { andForEach, andThen, andTry, createWorkflow } from 'agentserver'
import type { Chain } from 'agentserver'
import { z } from 'zod'

// Compiled by `npm run check:types`: chains within steps, and andTry.

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <A, B>(_: Equal<A, B>): void => undefined

const inputSchema = z.object({ orderId: z.string(), cents: z.number() })
const start = createWorkflow({ id: 'start', inputSchema })

// the data and the results go through the group and out of it
start
  .andThen({ id: 'total', execute: ({ data }) => data.cents })
  .andWhen({
    id: 'when',
    condition: ({ results }) => results.total > 1,
    step: (chain) =>
      chain
        .andThen({ id: 'one', execute: ({ data, results }) => `${data} ${results.total}` })
        .andTap({ id: 'two', execute: ({ data, results }) => [results.one.length, data.length] }),
  })
  .andThen({
    id: 'list',
    execute: ({ data, results, input }) => {
      same<typeof data, string | number>(true)
      same<keyof typeof results, 'total' | 'when' | 'one' | 'two'>(true)
      same<typeof results.one, string | undefined>(true)
      return [{ n: input.cents }]
    },
  })
  .andForEach({
    id: 'each',
    step: (chain) =>
      chain
        .andThen({ id: 'first', execute: ({ data, results }) => data.n + results.total })
        .andThen({ id: 'second', execute: ({ data, results }) => [data, results.first] as const }),
  })
  .andThen({
    id: 'lines',
    execute: ({ data, results }) => {
      same<typeof data, (readonly [number, number])[]>(true)
      // @ts-expect-error -- a step in rounds has many results
      void results.first
      return { lines: [{ cents: data.length, id: 'A-1' }] }
    },
  })
  // items type the group
  .andForEach({
    id: 'chosen',
    items: ({ data }) => data.lines,
    step: (chain) =>
      chain.andThen({
        id: 'line',
        execute: ({ data }) => {
          same<typeof data, { cents: number; id: string }>(true)
          // @ts-expect-error -- the item has no such member
          void data.missing
          return data.cents
        },
      }),
  })
  .andAll({
    id: 'all',
    steps: [
      (chain) =>
        chain
          .andThen({ id: 'sum', execute: ({ data }) => data[0] ?? 0 })
          .andThen({ id: 'large', execute: ({ data, results }) => data + results.sum > 1 }),
      andThen({ id: 'text', execute: () => 'text' }),
    ],
  })
  .andThen({
    id: 'zero',
    execute: ({ data, results }) => {
      same<typeof data, [boolean, string]>(true)
      same<typeof results.large, boolean>(true)
      return 0
    },
  })
  .andDoWhile({
    id: 'loop',
    step: (chain) =>
      chain
        .andThen({ id: 'plus', execute: ({ data }) => data + 1 })
        .andThen({ id: 'again', execute: ({ data, results }) => data + results.plus }),
    condition: ({ data }) => data < 3,
  })
  .andBranch({
    id: 'branch',
    branches: [
      {
        when: ({ data }) => data > 1,
        step: (chain) => chain.andThen({ id: 'some', execute: ({ data }) => data.toFixed() }),
      },
    ],
    otherwise: (chain) =>
      chain
        .andThen({ id: 'other', execute: () => true })
        .andThen({ id: 'list-of', execute: ({ data }) => [data] }),
  })
  .andRace({
    id: 'race',
    steps: [
      (chain) => chain.andThen({ id: 'quick', execute: () => 1 }),
      (chain) => chain.andThen({ id: 'slow', execute: () => null }),
    ],
  })
  .andThen({
    id: 'end',
    execute: ({ data, results }) => {
      same<typeof data, number | null>(true)
      same<typeof results.branch, string | boolean[]>(true)
      same<typeof results.other, boolean | undefined>(true)
      same<typeof results.quick, number | undefined>(true)
      return null
    },
  })
// @ts-expect-error -- a group returns its chain
start.andWhen({ id: 'when', condition: () => true, step: () => 1 })
// @ts-expect-error -- a group is no workflow that can be started
start.andWhen({ id: 'when', condition: () => true, step: (chain) => (void chain.start({}), chain) })
start.andDoWhile({
  id: 'loop',
  // @ts-expect-error -- a round returns the data of the next one
  step: (chain) => chain.andThen({ id: 'a', execute: () => 1 }),
  condition: () => false,
})

// a step that is no group declares the type of the chosen item
andForEach({
  id: 'declared',
  items: () => [{ cents: 1 }],
  step: andThen({ id: 'line', execute: ({ data }: { data: { cents: number } }) => data.cents }),
})

// a group can be a function of its own
const doubled = (chain: Chain<unknown, number>) =>
  chain.andThen({ id: 'double', execute: ({ data }) => data * 2 })
start
  .andThen({ id: 'total', execute: ({ data }) => data.cents })
  .andWhen({ id: 'when', condition: () => true, step: doubled })
  .andThen({
    id: 'end',
    execute: ({ results }) => {
      same<typeof results.double, number | undefined>(true)
      return null
    },
  })

// andTry: the result of the step, or of the step that catches its failure
start
  .andThen({ id: 'total', execute: ({ data }) => data.cents })
  .andTry({
    id: 'try',
    step: (chain) =>
      chain
        .andThen({ id: 'charge', execute: ({ data }) => ({ ref: `${data}` }) })
        .andThen({ id: 'ship', execute: ({ data }) => data.ref.length }),
    catch: (chain) =>
      chain.andThen({
        id: 'refund',
        execute: ({ data: { error, data }, results }) => {
          same<typeof data, number>(true)
          same<typeof results.charge, { ref: string } | undefined>(true)
          return `${error.name} ${error.message} ${error.stepId} ${results.total}`
        },
      }),
  })
  .andThen({
    id: 'end',
    execute: ({ data, results }) => {
      same<typeof data, string | number>(true)
      same<keyof typeof results, 'total' | 'try' | 'charge' | 'ship' | 'refund'>(true)
      same<typeof results.refund, string | undefined>(true)
      return null
    },
  })
start
  .and(
    andTry({
      id: 'try',
      step: andThen({ id: 'charge', execute: ({ data }: { data: { cents: number } }) => data.cents }),
      catch: andThen({ id: 'refund', execute: () => null }),
    }),
  )
  .andThen({
    id: 'end',
    execute: ({ data }) => {
      same<typeof data, number | null>(true)
      return null
    },
  })
// @ts-expect-error -- it has a step that catches
start.andTry({ id: 'try', step: andThen({ id: 'charge', execute: () => 1 }) })
