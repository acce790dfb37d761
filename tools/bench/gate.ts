import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { load } from './load.ts'
import { memoryOf, startServer } from './process.ts'
import type { Running } from './process.ts'
import { TRIVIAL, makeProject, removeProject } from './project.ts'
import type { Measurement } from './report.ts'

const SLOW_CLIENTS = 200
const REQUEST_TIMEOUT_MS = 2000
const STOPPED_READERS = 20
const KEY = 'bench'

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const PROJECT = {
  'agentserver.config.ts': `
import { createWorkflow, defineConfig } from 'agentserver'

${TRIVIAL['agentserver.config.ts'].split('\n').slice(3, -3).join('\n')}

const line = 'x'.repeat(20_000)
let talk = createWorkflow({ id: 'talk', name: 'Talk' })
for (let step = 0; step < 10; step++)
  talk = talk.andThen({ id: 'say-' + step, execute: async ({ data, emit }) => {
    for (let n = 0; n < 500; n++) emit('line', line)
    return data
  } })

export default defineConfig({
  workflows: [trivial, talk],
  limits: { requestTimeoutMs: ${REQUEST_TIMEOUT_MS} },
})
`,
}

/** The effect of slow clients, and of clients that stop reading, on a server and on other clients. */
export async function gate(): Promise<Measurement[]> {
  const root = makeProject(PROJECT)
  const server = await startServer('start', { cwd: root, env: { SERVICE_CONSOLE_ACCESS_KEY: KEY } })
  try {
    return [...(await slowClients(server)), await stoppedReaders(server)]
  } finally {
    await server.stop()
    removeProject(root)
  }
}

/** Clients that send their headers byte by byte, while other clients are served. */
async function slowClients(server: Running): Promise<Measurement[]> {
  const others = { url: `${server.url}/workflows`, seconds: 3 }
  await load({ ...others, seconds: 1 })
  const without = await load(others)
  const startedAt = performance.now()
  const disconnectedAfter: number[] = []
  const clients = Array.from({ length: SLOW_CLIENTS }, () => open(server))
  for (const client of clients)
    client.once('close', () => disconnectedAfter.push(performance.now() - startedAt))
  const sending = setInterval(() => {
    for (const client of clients) if (!client.destroyed) client.write('x')
  }, 100)
  for (const client of clients) client.write('GET /workflows HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
  const during = await load(others)
  await wait(REQUEST_TIMEOUT_MS)
  clearInterval(sending)
  for (const client of clients) client.destroy()
  return [
    {
      name: 'disconnected slow clients, of 200',
      measured: disconnectedAfter.length,
      unit: '',
      bar: { atLeast: SLOW_CLIENTS },
    },
    {
      name: '… the last one after',
      measured: Math.max(...disconnectedAfter),
      unit: 'ms',
      bar: { atMost: REQUEST_TIMEOUT_MS * 2 },
    },
    {
      name: 'rate of other clients, with slow clients over without',
      measured: during.perSecond / without.perSecond,
      unit: '×',
      bar: { atLeast: 0.7 },
      note: `${during.failed} failed`,
    },
    { name: '… their failed requests', measured: during.failed, unit: '', bar: { atMost: 0 } },
  ]
}

/** Readers that request a stream of 100 MB and do not read it. */
async function stoppedReaders(server: Running): Promise<Measurement> {
  const body = JSON.stringify({ input: {}, options: { executionId: 'long' } })
  const headers = { 'Content-Type': 'application/json' }
  await fetch(`${server.url}/workflows/talk/execute`, { method: 'POST', headers, body })
  await wait(2000)
  const before = memoryOf(server)
  const readers = Array.from({ length: STOPPED_READERS }, () => {
    const reader = open(server)
    reader.pause()
    reader.write('GET /workflows/talk/executions/long/stream HTTP/1.1\r\nHost: localhost\r\n\r\n')
    return reader
  })
  await wait(5000)
  const growth = memoryOf(server) - before
  for (const reader of readers) reader.destroy()
  return {
    name: 'memory of 20 stopped readers of 100 MB each',
    measured: growth,
    unit: 'MB',
    bar: { atMost: 100 },
    note: `${before.toFixed(0)} MB before`,
  }
}

function open({ url }: Running): Socket {
  const { port, hostname } = new URL(url)
  const socket = connect(Number(port), hostname)
  // the server disconnects intentionally
  socket.on('error', () => undefined)
  return socket
}
