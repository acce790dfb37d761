import { setTimeout as wait } from 'node:timers/promises'
import path from 'node:path'
import { createAgent, demoModel } from '../../dist/index.js'
import { createServer } from '../../dist/server/index.js'
import { keptMemory } from './agent-streams.ts'
import { ratio } from './load.ts'
import { startServer } from './process.ts'
import { makeProject, removeProject } from './project.ts'
import { median } from './report.ts'
import type { Measurement } from './report.ts'

const ANSWERS = 1000
/** Each answer has been read to this part when the memory is measured. */
const PARTS = 20
const QUESTION = 'Where is the order of last week, and when will it come?'

const PROJECT = {
  'agentserver.config.ts': `
import { createAgent, createTool, defineConfig, demoModel } from 'agentserver'
import { z } from 'zod'

const order = createTool({
  name: 'order',
  description: 'Where an order is',
  inputSchema: z.object({ question: z.string() }),
  execute: () => ({ status: 'sent' }),
})
const common = { name: 'X', instructions: 'Answer.', model: demoModel() }
export default defineConfig({
  agents: [
    createAgent({ ...common, id: 'plain' }),
    createAgent({ ...common, id: 'kept', resumable: true }),
    createAgent({ ...common, id: 'plain-tool', tools: [order] }),
    createAgent({ ...common, id: 'kept-tool', tools: [order], resumable: true }),
  ],
})
`,
}

/** What it costs that answers outlive their clients and their process, compared with plain ones. */
export async function answers(): Promise<Measurement[]> {
  return [await memory(), ...(await throughput())]
}

/** Memory of concurrent answers that are being read, after a garbage collection. Plain and resumable ones take turns. */
async function memory(): Promise<Measurement> {
  const root = makeProject({})
  const agent = (id: string, resumable: boolean) =>
    createAgent({ id, name: 'X', instructions: 'Answer.', model: demoModel({ delayMs: 500 }), resumable })
  const server = createServer({
    agents: [agent('plain', false), agent('kept', true)],
    database: `file:${path.join(root, 'bench.db')}`,
    port: 0,
  })
  try {
    await memoryOfAnswers(server, 'plain')
    await memoryOfAnswers(server, 'kept')
    const rounds: { plain: number; kept: number }[] = []
    for (let round = 0; round < 3; round++)
      rounds.push({
        plain: await memoryOfAnswers(server, 'plain'),
        kept: await memoryOfAnswers(server, 'kept'),
      })
    const kilobytes = (name: 'plain' | 'kept') =>
      (median(rounds.map((round) => round[name])) / 1024 / ANSWERS).toFixed(0)
    return {
      name: '1,000 resumable answers at once: memory over that of plain ones',
      measured: median(rounds.map(({ plain, kept }) => kept / plain)),
      unit: '',
      bar: { atMost: 1.3 },
      note: `${kilobytes('kept')} kB and ${kilobytes('plain')} kB each, medians of ${rounds.length}`,
    }
  } finally {
    await server.close()
    removeProject(root)
  }
}

let chats = 0

async function memoryOfAnswers(
  { fetch }: Pick<ReturnType<typeof createServer>, 'fetch'>,
  agent: string,
): Promise<number> {
  const post = (route: string, body: object) =>
    fetch(
      new Request(`http://localhost/agents/${agent}${route}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    )
  const before = keptMemory()
  const ids = Array.from({ length: ANSWERS }, () => `chat-${chats++}`)
  const message = { id: 'm', role: 'user', parts: [{ type: 'text', text: 'word '.repeat(200) }] }
  const responses = await Promise.all(ids.map((id) => post('/chat', { id, messages: [message] })))
  const readers = responses.flatMap(({ body }) => body?.getReader() ?? [])
  await Promise.all(
    readers.map(async (reader) => {
      for (let part = 0; part < PARTS; part++) await reader.read()
    }),
  )
  const during = keptMemory()
  // a resumable answer goes on when its client leaves
  await Promise.all(ids.map((id) => post(`/chat/${id}/stop`, {})))
  await Promise.all(readers.map((reader) => reader.cancel()))
  await wait(1000)
  return during - before
}

/** Complete answers per second. Every call of the model and of a tool of a resumable one is recorded. */
async function throughput(): Promise<Measurement[]> {
  const root = makeProject(PROJECT)
  const server = await startServer('start', { cwd: root })
  const text = (agent: string) => ({ url: `${server.url}/agents/${agent}/text`, body: { input: QUESTION } })
  try {
    const measurements: Measurement[] = []
    for (const [name, suffix] of [
      ['an answer without tools', ''],
      ['an answer that calls a tool', '-tool'],
    ] as const) {
      const rates = await ratio(text(`kept${suffix}`), text(`plain${suffix}`), 5)
      measurements.push({
        name: `${name}: recorded over plain, per second`,
        measured: rates.ratio,
        unit: '',
        bar: { atLeast: 0.9 },
        note: `${rates.ours.toFixed(0)}/s and ${rates.theirs.toFixed(0)}/s; ${rates.failed} failed`,
      })
    }
    return measurements
  } finally {
    await server.stop()
    removeProject(root)
  }
}
