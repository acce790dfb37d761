import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pino } from 'pino'
import { SearchIndex } from '../../src/engine/search/search-index.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { openDatabase } from '../../src/store/sqlite/driver.ts'
import type { Store } from '../../src/store/store.ts'
import { executionRow } from '../../test/suites/store/execution-rows.ts'
import { BenchBrowser, PAINT_TIMES } from './console-page.ts'
import { ratio } from './load.ts'
import { fillStore } from './fill-store.ts'
import { startServer } from './process.ts'
import type { Running } from './process.ts'
import { TRIVIAL, makeProject, removeProject } from './project.ts'
import { percentile } from './report.ts'
import type { Measurement } from './report.ts'

const EXECUTIONS = 100_000
const ROUNDS = 20
const WARM_UP = 2

/** The time of searches in a long history, and what the index costs executions. */
export async function search(): Promise<Measurement[]> {
  return [...(await queries()), await caughtUp(), await cost()]
}

/** One word or two, rare and frequent ones, prefixes, phrases, filters, and nothing. */
const SEARCHES = [
  '"A-1042"',
  'order-77',
  'rotterdam',
  'rotterdam hamburg',
  'customer 4711',
  'r',
  'declined',
  'declined card',
  'status:error declined',
  'workflow:w3 hamburg',
  'workflow:w3 status:error user:user-53',
  'status:completed',
  'status:error last:1h',
  'user:user-7 rotterdam last:1d',
  'bench-99',
  '"bench-54321"',
  'nothing-like-this',
  'status:cancelled rotterdam',
]

async function queries(): Promise<Measurement[]> {
  const root = makeProject(TRIVIAL)
  const indexedIn = await fillStore(root, fill)
  const server = await startServer('start', { cwd: root, env: { NODE_ENV: 'development' } })
  try {
    const times: number[] = []
    const slowest = { text: '', ms: 0 }
    for (let round = 0; round < ROUNDS; round++)
      for (const text of SEARCHES) {
        const startedAt = performance.now()
        const response = await fetch(`${server.url}/observability/search?q=${encodeURIComponent(text)}`)
        await response.text()
        if (!response.ok) throw new Error(`${text}: ${response.status}`)
        if (round < WARM_UP) continue
        const ms = performance.now() - startedAt
        times.push(ms)
        if (ms > slowest.ms) Object.assign(slowest, { text, ms })
      }
    return [
      {
        name: 'search among 100,000 executions, p95',
        measured: percentile(times, 0.95),
        unit: 'ms',
        bar: { atMost: 50 },
        note: `median ${percentile(times, 0.5).toFixed(1)} ms, slowest ${slowest.ms.toFixed(0)} ms: ${slowest.text}`,
      },
      {
        name: '… time to index one of them',
        measured: (indexedIn / EXECUTIONS) * 1000,
        unit: 'µs',
      },
      await keystrokes(server),
    ]
  } finally {
    await server.stop()
    removeProject(root)
  }
}

/** How fast an idle server indexes what it is behind. */
async function caughtUp(): Promise<Measurement> {
  const root = makeProject(TRIVIAL)
  await fillStore(root, write)
  const server = await startServer('start', { cwd: root, env: { NODE_ENV: 'development' } })
  try {
    const startedAt = performance.now()
    for (;;) {
      const metrics = await fetch(`${server.url}/observability/metrics`)
      if (/^agentserver_search_lag_seconds 0$/m.test(await metrics.text())) break
      await setTimeout(100)
    }
    return {
      name: 'executions that an idle server indexes per second',
      measured: EXECUTIONS / ((performance.now() - startedAt) / 1000),
      unit: '/s',
      bar: { atLeast: 1000 },
    }
  } finally {
    await server.stop()
    removeProject(root)
  }
}

/** The time from a key in the search of the console to its paint, while results arrive. */
async function keystrokes(server: Running): Promise<Measurement> {
  const browser = await BenchBrowser.launch(server.url)
  try {
    const page = await browser.open('executions')
    await page.keyboard.press('/')
    const input = page.getByRole('combobox', { name: 'Search' })
    await input.waitFor()
    await page.evaluate(PAINT_TIMES)
    for (const text of TYPED) {
      await input.fill('')
      await page.keyboard.type(text, { delay: 30 })
    }
    const paints = (await page.evaluate('paints')) as number[]
    return {
      name: '… keystroke to paint in the search of the console, p95',
      measured: percentile(paints, 0.95),
      unit: 'ms',
      bar: { atMost: 50 },
      note: `median ${percentile(paints, 0.5).toFixed(1)} ms of ${paints.length} keys`,
    }
  } finally {
    await browser.close()
  }
}

const TYPED = ['rotterdam hamburg', 'status:failed workflow:w3 declined', 'order-77 last:1h', '"bench-54321"']

const CITIES = ['rotterdam', 'hamburg', 'lyon', 'porto', 'gdańsk', 'zürich', 'oslo']

async function write(store: Store): Promise<void> {
  const now = Date.now()
  for (let done = 0; done < EXECUTIONS; done += 1000)
    await store.executions.write(Array.from({ length: 1000 }, (_, index) => ended(done + index, now)))
}

/** Returns the time that the index took, in milliseconds. */
async function fill(store: Store): Promise<number> {
  await write(store)
  const index = new SearchIndex({
    store,
    flushLogs: async () => undefined,
    logger: pino({ level: 'silent' }),
    clock: systemClock,
  })
  const startedAt = performance.now()
  const stop = index.start()
  while (await index.advance()) continue
  await stop()
  return performance.now() - startedAt
}

function ended(number: number, now: number) {
  const id = `bench-${number}`
  const createdAt = now - (EXECUTIONS - number) * 1000
  const hasFailed = number % 50 === 3
  const order = {
    orderId: `A-${number % 9000}`,
    customer: { id: number % 20_000, name: `Customer ${number % 3000}` },
    from: CITIES[number % 7],
    to: CITIES[number % 5],
    note: 'Please deliver between nine and five, and ring the bell twice',
  }
  const insert = executionRow({
    id,
    workflowId: `w${number % 5}`,
    workflowName: `Workflow ${number % 5}`,
    status: hasFailed ? 'error' : 'completed',
    createdAt,
    updatedAt: createdAt + 5,
    endedAt: createdAt + 5,
    userId: `user-${number % 100}`,
    input: JSON.stringify(order),
    output: hasFailed ? null : JSON.stringify({ ...order, shipped: true, parcel: `P${number * 7919}` }),
    error: hasFailed
      ? JSON.stringify({ name: 'PaymentError', message: `The card of customer ${number} was declined` })
      : null,
  })
  return {
    id,
    insert,
    events: [
      {
        seq: 1,
        data: `{"type":"workflow-start","executionId":"${id}","timestamp":"${new Date(createdAt).toISOString()}"}`,
      },
    ],
  }
}

/** The index is built outside of executions, but on the same machine. */
export async function cost(): Promise<Measurement> {
  const roots = [makeProject(TRIVIAL), makeProject(TRIVIAL)] as const
  await fillStore(roots[1], async () => undefined)
  // an index that is up to date with all that will happen
  const database = openDatabase(path.join(roots[1], '.agentserver/data.db'))
  database.exec(`UPDATE search_progress SET milestone = ${Number.MAX_SAFE_INTEGER}`)
  database.close()
  const on = await startServer('start', { cwd: roots[0] })
  const off = await startServer('start', { cwd: roots[1] })
  try {
    const body = { input: { orderId: 'A-1', amount: 12, note: 'Please deliver between nine and five' } }
    const target = ({ url }: Running) => ({ url: `${url}/workflows/trivial/execute`, body })
    const execute = await ratio(target(on), target(off), 7)
    return {
      name: 'execute 3 steps with the search index, over without',
      measured: execute.ratio,
      unit: '',
      bar: { atLeast: 0.95 },
      note: `${Math.round(execute.ours)}/s and ${Math.round(execute.theirs)}/s, ${execute.failed} failed`,
    }
  } finally {
    await Promise.all([on.stop(), off.stop()])
    for (const root of roots) removeProject(root)
  }
}
