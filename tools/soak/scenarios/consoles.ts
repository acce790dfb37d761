import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { SoakClient } from '../soak-client.ts'
import { HOUR } from '../soak-project.ts'

/** How long a subscriber stays, in milliseconds. */
const STAY_MS = 3000

const CHANNELS = ['/ws', '/ws/logs', '/ws/observability/traces']
const TOPICS = ['executions', 'traces', 'calls', 'config', 'logs', 'pins']

/** What a page of the console requests. */
const PAGES = [
  '/observability/executions?limit=50',
  '/observability/traces?limit=50',
  '/observability/logs?limit=100',
  '/observability/failures',
  '/observability/metrics',
  '/observability/status',
  '/observability/search?q=items',
  '/observability/activity',
  '/agents/kept/history?limit=50',
  '/workflows',
]

/** A console opens a WebSocket, subscribes, requests a page, and is closed, every second time without a word. */
export async function visitConsole(client: SoakClient, visit: number): Promise<void> {
  const sockets = await client.attempt((url) =>
    Promise.all(CHANNELS.map((path) => opened(`${url}${path}?dev=true`))),
  )
  try {
    const topics = TOPICS.map((topic) => ({ topic, after: 0 }))
    sockets[0]?.send(JSON.stringify({ type: 'subscribe', topics }))
    const page = PAGES[visit % PAGES.length] ?? ''
    const { status } = await client.get(page)
    if (status !== 200) throw new Error(`${page}: ${status}`)
    await wait(STAY_MS)
  } finally {
    for (const socket of sockets) {
      if (visit % 2 === 0) socket.close()
      else socket.terminate()
    }
  }
}

/** Reads the events of an execution that sleeps, and leaves. */
export async function watchAndLeave(client: SoakClient, executionId: string): Promise<void> {
  const start = { input: {}, options: { executionId } }
  await client.post(`/workflows/${HOUR}/execute`, start, { prefer: 'respond-async' })
  const route = `/observability/executions/${executionId}/stream`
  await client.request(route, {}, async (response) => {
    if (response.status !== 200) throw new Error(`${route}: ${response.status}`)
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.cancel()
  })
  await client.post(`/workflows/${HOUR}/executions/${executionId}/cancel`, {})
}

async function opened(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url.replace('http', 'ws'))
  // a machine that ends closes it
  socket.on('error', () => undefined)
  await once(socket, 'open')
  return socket
}
