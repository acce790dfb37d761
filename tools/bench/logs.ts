import { WebSocket } from 'ws'
import { IDS_PER_MS } from '../../src/store/log-store.ts'
import type { LogRow } from '../../src/store/log-store.ts'
import type { Store } from '../../src/store/store.ts'
import { fillStore } from './fill-store.ts'
import { pageTime } from './page-time.ts'
import { startServer } from './process.ts'
import { TRIVIAL, makeProject, removeProject } from './project.ts'
import { percentile } from './report.ts'
import type { Measurement } from './report.ts'

const PER_SECOND = 5000
const SECONDS = 6
const STORED = 500_000
const BATCH = 128

const TALKATIVE = {
  'agentserver.config.ts': `
import { createWorkflow, defineConfig } from 'agentserver'

const talk = createWorkflow({ id: 'talk', name: 'Talk' }).andThen({
  id: 'say',
  execute: async ({ data, logger }) => {
    const startedAt = performance.now()
    for (let n = 0; n < data.lines; ) {
      const due = Math.min(data.lines, ((performance.now() - startedAt) / 1000) * data.perSecond)
      while (n < due) logger.info({ n: n++, at: Date.now() }, 'A line of the usual length about an order')
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    return data
  },
})

export default defineConfig({ workflows: [talk] })
`,
}

/** Following a busy log, and the time to store and to find records. */
export async function logs(): Promise<Measurement[]> {
  return [...(await tail()), ...(await records())]
}

async function tail(): Promise<Measurement[]> {
  const root = makeProject(TALKATIVE)
  const server = await startServer('start', { cwd: root, env: { NODE_ENV: 'development' } })
  const lines = PER_SECOND * SECONDS
  try {
    const reader = await readTail(`${server.url.replace('http', 'ws')}/ws/logs?dev=true`)
    await fetch(`${server.url}/workflows/talk/execute`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ input: { lines, perSecond: PER_SECOND } }),
    })
    await new Promise((resolve) => setTimeout(resolve, 500))
    reader.socket.terminate()
    const stored = await storedBy(server.url, lines)
    const inOrder = reader.numbers.every((number, index) => number === index)
    return [
      {
        name: `lines that a reader of /ws/logs misses at ${PER_SECOND}/s`,
        measured: lines - reader.numbers.length,
        unit: '',
        bar: { atMost: 0 },
        note: `${reader.numbers.length} of ${lines}, ${inOrder ? 'in order' : 'NOT in order'}`,
      },
      {
        name: '… delay, p95',
        measured: percentile(reader.delays, 0.95),
        unit: 'ms',
        bar: { atMost: 50 },
      },
      {
        name: '… lines that are not stored',
        measured: Math.max(0, lines - stored),
        unit: '',
        bar: { atMost: 0 },
      },
    ]
  } finally {
    await server.stop()
    removeProject(root)
  }
}

/** Waits until the log has a number of records, or a timeout. Resolves to the number. */
async function storedBy(url: string, lines: number): Promise<number> {
  for (let turn = 0; ; turn++) {
    const status = await fetch(`${url}/observability/status`)
    const { data } = (await status.json()) as { data: { logCount: number } }
    if (data.logCount >= lines || turn === 20) return data.logCount
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

async function readTail(url: string) {
  const socket = new WebSocket(url)
  const numbers: number[] = []
  const delays: number[] = []
  socket.on('message', (message: Buffer) => {
    const { type, data } = JSON.parse(message.toString()) as {
      type: string
      data: { attributes: { n?: number; at?: number } }
    }
    const { n, at } = type === 'log' ? data.attributes : {}
    if (n === undefined || at === undefined) return
    numbers.push(n)
    delays.push(Date.now() - at)
  })
  await new Promise((resolve, reject) => {
    socket.on('open', resolve)
    socket.on('error', reject)
  })
  return { socket, numbers, delays }
}

async function records(): Promise<Measurement[]> {
  const root = makeProject(TRIVIAL)
  const { perSecond, slowest } = await fillStore(root, fill)
  const server = await startServer('start', { cwd: root, env: { NODE_ENV: 'development' } })
  const options = { headers: { 'x-service-dev': 'true' }, turns: 15, warmUp: 3 }
  const time = async (name: string, query: string, atMost: number): Promise<Measurement> => {
    const measured = await pageTime(`${server.url}/api/logs?${query}`, options)
    return { name, measured, unit: 'ms', bar: { atMost } }
  }
  try {
    return [
      { name: 'log records stored', measured: perSecond, unit: '/s', bar: { atLeast: 20_000 } },
      { name: `… p99 of ${BATCH} at a time`, measured: slowest, unit: 'ms', bar: { atMost: 20 } },
      await time('page of 100 among 500,000', 'limit=100', 10),
      await time('… of one execution', 'executionId=execution-77', 10),
      await time('… of errors', 'level=error', 10),
      await time('… of a workflow without errors', 'workflowId=w&level=fatal', 500),
      await time('… by words that nothing has', 'q=no+such', 500),
    ]
  } finally {
    await server.stop()
    removeProject(root)
  }
}

async function fill(store: Store): Promise<{ perSecond: number; slowest: number }> {
  const since = (Date.now() - STORED) * IDS_PER_MS
  const times: number[] = []
  const startedAt = performance.now()
  for (let done = 0; done < STORED; done += BATCH) {
    const rows = Array.from({ length: BATCH }, (_, index) => rowOf(done + index, since))
    const at = performance.now()
    await store.logs.insert(rows)
    times.push(performance.now() - at)
  }
  const perSecond = (STORED / (performance.now() - startedAt)) * 1000
  return { perSecond, slowest: percentile(times, 0.99) }
}

function rowOf(number: number, since: number): LogRow {
  const execution = Math.floor(number / 10)
  return {
    id: since + number * IDS_PER_MS,
    timestamp: since / IDS_PER_MS + number,
    level: number % 1000 === 0 ? 50 : 30,
    message: `A line of the usual length about order ${number}`,
    attributes: JSON.stringify({ workflowId: 'w', stepId: 'one', orderId: `A-${number}` }),
    traceId: execution.toString(16).padStart(32, '0'),
    spanId: number.toString(16).padStart(16, '0'),
    executionId: `execution-${execution}`,
    workflowId: 'w',
    agentId: null,
  }
}
