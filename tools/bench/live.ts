import autocannon from 'autocannon'
import { WebSocket } from 'ws'
import { load } from './load.ts'
import { memoryOf, startServer } from './process.ts'
import type { Running } from './process.ts'
import { TRIVIAL, makeProject, removeProject } from './project.ts'
import { percentile } from './report.ts'
import type { Measurement } from './report.ts'

const RATE = 500
const SECONDS = 8
const READERS = 3
const STOPPED = 20
const LARGE_RUNS = 2000

/** The delay of events for clients of `/ws`, and the memory of clients that stop reading. */
export async function live(): Promise<Measurement[]> {
  const root = makeProject(TRIVIAL)
  const server = await startServer('start', { cwd: root })
  try {
    return [...(await latency(server)), ...(await stoppedReaders(server))]
  } finally {
    await server.stop('SIGKILL')
    removeProject(root)
  }
}

interface Frame {
  readonly topic?: string
  readonly seq?: number
  readonly ts?: number
}

async function latency(server: Running): Promise<Measurement[]> {
  const delays: number[] = []
  const lastSeen: number[] = []
  let gaps = 0
  const readers = await Promise.all(
    Array.from({ length: READERS }, (_, reader) =>
      subscribed(server, (frame) => {
        const { seq = 0, ts = 0 } = frame
        delays.push(Date.now() - ts)
        if (seq !== (lastSeen[reader] ?? seq - 1) + 1) gaps++
        lastSeen[reader] = seq
      }),
    ),
  )
  const result = await autocannon({
    url: `${server.url}/workflows/trivial/execute`,
    connections: 20,
    overallRate: RATE,
    duration: SECONDS,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"input":{}}',
  })
  await new Promise((resolve) => setTimeout(resolve, 500))
  for (const reader of readers) reader.terminate()
  const rate = Math.round(result.requests.total / result.duration)
  return [
    {
      name: `delay of an event for a WebSocket client at ${RATE} executions/s, p95`,
      measured: percentile(delays, 0.95),
      unit: 'ms',
      bar: { atMost: 50 },
      note: `p50 ${percentile(delays, 0.5)} ms, ${delays.length} frames to ${READERS} clients at ${rate}/s`,
    },
    { name: '… missing or repeated frames', measured: gaps, unit: '', bar: { atMost: 0 } },
  ]
}

async function stoppedReaders(server: Running): Promise<Measurement[]> {
  const url = `${server.url}/workflows/trivial/execute`
  const body = { input: { text: 'x'.repeat(20_000) } }
  // first without readers, to measure only their part
  await load({ url, body, amount: LARGE_RUNS })
  const before = memoryOf(server)
  const readers = await Promise.all(
    Array.from({ length: STOPPED }, () => subscribed(server, () => undefined)),
  )
  for (const reader of readers) reader.pause()
  const { failed } = await load({ url, body, amount: LARGE_RUNS })
  const grown = memoryOf(server) - before
  for (const reader of readers) reader.terminate()
  return [
    {
      name: `memory of ${STOPPED} clients that stop reading`,
      measured: grown,
      unit: 'MB',
      bar: { atMost: 100 },
      note: `each ${Math.round((LARGE_RUNS * 2 * 30) / 1000)} MB behind, ${failed} requests failed`,
    },
  ]
}

function subscribed(server: Running, onFrame: (frame: Frame) => void): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws`)
    socket.once('error', reject)
    socket.once('open', () => {
      socket.send(JSON.stringify({ type: 'subscribe', topics: [{ topic: 'executions' }] }))
      // a connection from an earlier request
      socket.send(JSON.stringify({ type: 'subscribe', topics: [{ topic: 'nothing' }] }))
    })
    socket.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as Frame & { readonly type: string }
      if (frame.type === 'error') resolve(socket)
      else if (frame.topic === 'executions') onFrame(frame)
    })
  })
}
