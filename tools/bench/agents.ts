import { streamText } from 'ai'
import { createAgent, demoModel } from '../../dist/index.js'
import { createServer } from '../../dist/server/index.js'
import { firstToken, memoryOfStreams } from './agent-streams.ts'
import { load } from './load.ts'
import { startServer } from './process.ts'
import { makeProject, removeProject } from './project.ts'
import { median } from './report.ts'
import type { Measurement } from './report.ts'

const PROJECT = {
  'agentserver.config.ts': `
import { createAgent, defineConfig, demoModel } from 'agentserver'

const quick = createAgent({ id: 'quick', name: 'Quick', instructions: 'Answer.', model: demoModel() })
export default defineConfig({ agents: [quick] })
`,
}
const QUESTION = 'Where is the order of last week, and when will it come?'

/** The overhead of agents compared with their models: responses per second, time to first token, memory of streams. */
export async function agents(): Promise<Measurement[]> {
  const texts = await textsPerSecond()
  const quick = createAgent({ id: 'quick', name: 'Quick', instructions: 'Answer.', model: demoModel() })
  const server = createServer({ agents: [quick], database: ':memory:', port: 0 })
  try {
    const { url } = await server.listen()
    return [texts, await timeToFirstToken(url), ...(await memory(server.fetch))]
  } finally {
    await server.close()
  }
}

async function textsPerSecond(): Promise<Measurement> {
  const root = makeProject(PROJECT)
  const server = await startServer('start', { cwd: root })
  try {
    const text = { url: `${server.url}/agents/quick/text`, body: { input: QUESTION } }
    await load({ ...text, seconds: 3 })
    const { perSecond, failed } = await load(text)
    return {
      name: 'agent text with the demo model',
      measured: perSecond,
      unit: '/s',
      bar: { atLeast: 1000 },
      note: `${failed} failed; the peer in this field: 49/s`,
    }
  } finally {
    await server.stop()
    removeProject(root)
  }
}

/** Compares a response over HTTP with a direct call of the AI SDK, alternately, in this process. */
async function timeToFirstToken(url: string): Promise<Measurement> {
  const direct: number[] = []
  const served: number[] = []
  for (let round = 0; round < 400; round++) {
    const startedAt = performance.now()
    const { textStream } = streamText({ model: demoModel(), system: 'Answer.', prompt: QUESTION })
    await textStream[Symbol.asyncIterator]().next()
    direct.push(performance.now() - startedAt)
    served.push(await firstToken(`${url}/agents/quick/stream`, QUESTION))
  }
  const [one, other] = [median(served.slice(100)), median(direct.slice(100))]
  return {
    name: 'first streamed token, over a direct call of the SDK',
    measured: one - other,
    unit: 'ms',
    bar: { atMost: 5 },
    note: `${one.toFixed(2)} ms and ${other.toFixed(2)} ms, medians of 300`,
  }
}

/** Memory per stream must not grow with the number of streams. The AI SDK itself keeps the parts of a response. */
async function memory(fetch: (request: Request) => Promise<Response>): Promise<Measurement[]> {
  const streams = { url: 'http://localhost/agents/quick/stream', input: 'word '.repeat(200), events: 100 }
  await memoryOfStreams(fetch, { ...streams, count: 20 })
  const few = await memoryOfStreams(fetch, { ...streams, count: 100 })
  const many = await memoryOfStreams(fetch, { ...streams, count: 1000 })
  return [
    {
      name: 'memory per stream, 1,000 concurrent over 100 concurrent',
      measured: many.started / few.started,
      unit: '',
      bar: { atMost: 1.2 },
      note: `${kilobytes(many.started)} and ${kilobytes(few.started)} after the start`,
    },
    {
      name: 'memory per event of a stream',
      measured: many.perEvent,
      unit: 'bytes',
      bar: { atMost: 300 },
      note: `${few.perEvent.toFixed(0)} bytes with 100 concurrent streams`,
    },
  ]
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(0)} kB`
}
