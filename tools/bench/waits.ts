import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { memoryOf, processorTimeOf, startServer } from './process.ts'
import type { Running } from './process.ts'
import { makeProject, removeProject } from './project.ts'
import { median } from './report.ts'
import type { Measurement } from './report.ts'

const SLEEPING = 100_000
const WAKING = 10_000
const ITEMS = 1000

const PROJECT = {
  'agentserver.config.ts': `
import { appendFileSync } from 'node:fs'
import { andThen, createWorkflow, defineConfig } from 'agentserver'

const echo = ({ data }) => data
const sleeps = createWorkflow({ id: 'sleeps' }).andSleep({ id: 'sleep', for: '7d' })
const wakes = createWorkflow({ id: 'wakes' })
  .andSleepUntil({ id: 'sleep', until: ({ input }) => new Date(input.at) })
  .andThen({ id: 'woken', execute: ({ executionId }) => {
    appendFileSync('woken.log', Date.now() + ' ' + executionId + '\\n')
    return {}
  } })
let steps = createWorkflow({ id: 'steps' })
for (let n = 0; n < ${ITEMS}; n++) steps = steps.andThen({ id: 'step' + n, execute: echo })
const items = createWorkflow({ id: 'items' }).andForEach({
  id: 'each',
  items: () => Array.from({ length: ${ITEMS} }, (_, n) => n),
  step: andThen({ id: 'item', execute: echo }),
})

export default defineConfig({ workflows: [sleeps, wakes, steps, items] })
`,
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Executions that sleep, that wake together, and that loop. */
export async function waits(): Promise<Measurement[]> {
  return [...(await sleeping()), ...(await waking()), ...(await looping())]
}

async function withServer<T>(root: string, work: (server: Running) => Promise<T>): Promise<T> {
  const server = await startServer('start', { cwd: root })
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}

/** Memory, and the share of a processor, of a server that nobody asks. */
async function idle(server: Running): Promise<{ memory: number; processor: number }> {
  await wait(3000)
  const before = processorTimeOf(server)
  await wait(10_000)
  return { memory: memoryOf(server), processor: (processorTimeOf(server) - before) / 100 }
}

async function sleeping(): Promise<Measurement[]> {
  const root = makeProject(PROJECT)
  try {
    const none = await withServer(root, idle)
    await withServer(root, ({ url }) => start(url, 'sleeps', {}, SLEEPING))
    const many = await withServer(root, idle)
    return [
      {
        name: '100,000 sleeping executions: memory over none',
        measured: many.memory - none.memory,
        unit: 'MB',
        bar: { atMost: 20 },
        note: `${none.memory.toFixed(0)} MB, then ${many.memory.toFixed(0)} MB`,
      },
      {
        name: '… idle processor time',
        measured: many.processor,
        unit: '%',
        bar: { atMost: 0.5 },
        note: `${none.processor.toFixed(2)} % without them`,
      },
    ]
  } finally {
    removeProject(root)
  }
}

async function waking(): Promise<Measurement[]> {
  const root = makeProject(PROJECT)
  try {
    return await withServer(root, async ({ url }) => {
      const at = Date.now() + 30_000
      await start(url, 'wakes', { at: new Date(at).toISOString() }, WAKING)
      const startedIn = 30 - (at - Date.now()) / 1000
      const asking = slowestResponse(url, at + 12_000)
      const log = path.join(root, 'woken.log')
      const woken = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [])
      while (woken().length < WAKING && Date.now() < at + 60_000) await wait(100)
      const lines = woken().map((line) => line.split(' '))
      const last = Math.max(...lines.map(([time]) => Number(time)))
      return [
        {
          name: '10,000 executions that wake together: the last one runs after',
          measured: (last - at) / 1000,
          unit: 's',
          bar: { atMost: 10 },
          note: `started within ${startedIn.toFixed(0)} s`,
        },
        {
          name: '… woken other than once',
          measured: Math.abs(WAKING - lines.length) + lines.length - new Set(lines.map(([, id]) => id)).size,
          unit: '',
          bar: { atMost: 0 },
        },
        { name: '… slowest GET meanwhile', measured: await asking, unit: 'ms' },
      ]
    })
  } finally {
    removeProject(root)
  }
}

async function slowestResponse(url: string, until: number): Promise<number> {
  let slowest = 0
  while (Date.now() < until) {
    const startedAt = performance.now()
    await (await fetch(`${url}/workflows`)).text()
    slowest = Math.max(slowest, performance.now() - startedAt)
    await wait(20)
  }
  return slowest
}

async function looping(): Promise<Measurement[]> {
  const root = makeProject(PROJECT)
  try {
    return await withServer(root, async ({ url }) => {
      const timed = async (workflow: string) => {
        const startedAt = performance.now()
        await execute(url, workflow, {})
        return performance.now() - startedAt
      }
      await timed('steps')
      await timed('items')
      const pairs: { items: number; steps: number }[] = []
      for (let round = 0; round < 9; round++)
        pairs.push({ steps: await timed('steps'), items: await timed('items') })
      const items = median(pairs.map((pair) => pair.items))
      const steps = median(pairs.map((pair) => pair.steps))
      return [
        {
          name: '1,000 items one after the other, over 1,000 steps',
          measured: median(pairs.map((pair) => pair.items / pair.steps)),
          unit: '',
          bar: { atMost: 1.3 },
          note: `${items.toFixed(0)} ms against ${steps.toFixed(0)} ms`,
        },
      ]
    })
  } finally {
    removeProject(root)
  }
}

async function start(url: string, workflow: string, input: object, amount: number): Promise<void> {
  for (let started = 0; started < amount; started += 100) {
    await Promise.all(
      Array.from({ length: 100 }, () => execute(url, workflow, input, { prefer: 'respond-async' })),
    )
  }
}

async function execute(url: string, workflow: string, input: object, headers = {}): Promise<void> {
  const response = await fetch(`${url}/workflows/${workflow}/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ input }),
  })
  const body = await response.text()
  if (!response.ok) throw new Error(`${workflow} did not start: ${response.status} ${body}`)
}
