import { WebSocket } from 'ws'
import { memoryOf, startServer } from './process.ts'
import { makeProject, removeProject } from './project.ts'
import { percentile } from './report.ts'
import type { Measurement } from './report.ts'

const SOCKETS = 10_000
const AT_ONCE = 200

const PROJECT = {
  'agentserver.config.ts': `
import { defineConfig } from 'agentserver'

export default defineConfig({
  webSockets: { '/idle': (socket) => socket.on('message', (data) => socket.send(String(data))) },
})
`,
}

/** Memory of ten thousand idle WebSockets, and the time of a request with them. */
export async function sockets(): Promise<Measurement[]> {
  const root = makeProject(PROJECT)
  const server = await startServer('start', { cwd: root })
  const open: WebSocket[] = []
  try {
    const url = server.url.replace('http', 'ws')
    while (open.length < SOCKETS) {
      open.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => opened(`${url}/idle`)))))
    }
    const times: number[] = []
    for (let turn = 0; turn < 100; turn++) {
      const startedAt = performance.now()
      await (await fetch(`${server.url}/workflows`)).text()
      times.push(performance.now() - startedAt)
    }
    return [
      {
        name: 'memory with 10,000 idle WebSockets',
        measured: memoryOf(server),
        unit: 'MB',
        bar: { atMost: 250 },
        note: `${open.filter((socket) => socket.readyState === WebSocket.OPEN).length} open`,
      },
      {
        name: '… and a request with them open',
        measured: percentile(times, 0.5),
        unit: 'ms',
        bar: { atMost: 20 },
      },
    ]
  } finally {
    for (const socket of open) socket.terminate()
    await server.stop()
    removeProject(root)
  }
}

function opened(url: string): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url)
    socket.once('open', () => resolve(socket))
    socket.once('error', reject)
  })
}
