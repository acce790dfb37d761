/**
 * The project of the machines. Every attempt of a step is noted in the file `NOTES`, with the name of its machine: a record
 * of what ran that does not depend on the database.
 */
export const CLUSTER_FILES = {
  'package.json': '{ "name": "cluster", "type": "module" }',
  'agentserver.config.ts': `
    import { defineConfig } from 'agentserver'
    import { asks, blocks, flaky, holds, limited, long, patient, poison, rated, three } from './src/workflows.ts'
    export default defineConfig({ workflows: [asks, blocks, flaky, holds, limited, long, patient, poison, rated, three] })
  `,
  'src/workflows.ts': `
    import fs from 'node:fs'
    import { setTimeout as wait } from 'node:timers/promises'
    import { andThen, createWorkflow } from 'agentserver'

    // not Date.now(), which some machines have shifted
    const now = () => performance.timeOrigin + performance.now()
    const note = (what, { executionId, attempt }, step) =>
      fs.appendFileSync(process.env.NOTES, [now(), process.env.MACHINE, what, executionId, step, attempt].join(' ') + '\\n')

    const timed = (id, ms) => andThen({ id, execute: async (context) => {
      note('begin', context, id)
      await wait(ms)
      context.emit('tick', { id })
      note('end', context, id)
      return { passed: [...(context.data?.passed ?? []), id] }
    } })

    /** Ten steps of 200 ms. */
    export const long = createWorkflow({ id: 'long' },
      ...Array.from({ length: 10 }, (_, n) => timed('s' + n, 200)))

    export const three = createWorkflow({ id: 'three' })
      .andThen({ id: 'one', execute: async ({ data }) => data })
      .andThen({ id: 'two', execute: async ({ data }) => data })
      .andThen({ id: 'three', execute: async ({ data }) => data })

    /** Runs until the execution is cancelled or the process ends. */
    export const holds = createWorkflow({ id: 'holds' }).andThen({ id: 'hold', execute: async (context) => {
      note('begin', context, 'hold')
      await wait(3_600_000, undefined, { signal: context.signal }).catch(() => undefined)
      return {}
    } })

    export const asks = createWorkflow({ id: 'asks' })
      .andThen({ id: 'ask', execute: ({ resumeData, suspend }) => resumeData ?? suspend('needs an answer') })
      .andThen({ id: 'use', execute: (context) => {
        note('begin', context, 'use')
        return { by: process.env.MACHINE }
      } })

    /** Its first attempt blocks the event loop for six seconds. */
    export const blocks = createWorkflow({ id: 'blocks' })
      .andThen({ id: 'block', execute: (context) => {
        note('begin', context, 'block')
        const until = performance.now() + (context.attempt === 1 ? 6000 : 0)
        while (performance.now() < until);
        return { by: process.env.MACHINE }
      } })
      .andThen({ id: 'after', execute: (context) => {
        note('begin', context, 'after')
        return context.data
      } })

    export const poison = createWorkflow({ id: 'poison' }).andThen({ id: 'die', execute: (context) => {
      note('begin', context, 'die')
      setImmediate(() => {
        throw new Error('poison')
      })
      return wait(60_000)
    } })

    /** At most three run at the same time, on all machines together. */
    export const limited = createWorkflow({ id: 'limited', concurrency: 3 }, timed('work', 30))

    /** At most ten start in any second, on all machines together. */
    export const rated = createWorkflow({ id: 'rated', rateLimit: { limit: 10, per: '1s' } }, timed('work', 1))

    const failsOnce = (id, delayMs) => createWorkflow({ id }).andThen({ id: 'try', retries: { limit: 1, delayMs }, execute: (context) => {
      note('begin', context, 'try')
      if (context.attempt === 1) throw new Error('again')
      return {}
    } })
    export const flaky = failsOnce('flaky', 1000)
    export const patient = failsOnce('patient', 6000)
  `,
  // moves the clock of a process: node --import
  'shift-clock.mjs': `
    const shift = Number(process.env.SHIFT_CLOCK_MS)
    const { now } = Date
    Date.now = () => now() + shift
    globalThis.Date = new Proxy(Date, {
      construct: (target, args, self) => Reflect.construct(target, args.length > 0 ? args : [Date.now()], self),
    })
  `,
}
