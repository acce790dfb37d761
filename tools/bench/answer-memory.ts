import type * as Package from '../../dist/index.js'
import type * as ServerPackage from '../../dist/server/index.js'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { setTimeout as wait } from 'node:timers/promises'
import { keptMemory } from './agent-streams.ts'
import { makeProject, removeProject } from './project.ts'

const ANSWERS = 1000
const WARM_UP = 100
/** Each answer has been read to this part when the memory is measured. */
const PARTS = 20

/** Memory of one of a thousand open answers, in bytes. */
export interface AnswerMemory {
  readonly plain: number
  readonly recorded: number
}

type Fetch = (request: Request) => Promise<Response>

/**
 * Prints the memory of open answers of a checkout as JSON, plain and recorded, after a garbage collection. Run in a process
 * of its own: `main.js bench/answer-memory.ts <checkout>`.
 */
export async function main([repository = '']: readonly string[]): Promise<void> {
  const load = (file: string): Promise<unknown> =>
    import(pathToFileURL(path.join(repository, 'dist', file)).href)
  const { createAgent, demoModel } = (await load('index.js')) as typeof Package
  const { createServer } = (await load('server/index.js')) as typeof ServerPackage
  const root = makeProject({})
  const agent = (id: string, resumable: boolean) =>
    createAgent({ id, name: 'X', instructions: 'Answer.', model: demoModel({ delayMs: 500 }), resumable })
  const server = createServer({
    agents: [agent('plain', false), agent('recorded', true)],
    database: `file:${path.join(root, 'bench.db')}`,
    port: 0,
  })
  try {
    for (const id of ['plain', 'recorded']) await memoryOf(server.fetch, id, WARM_UP)
    const memory: AnswerMemory = {
      plain: await memoryOf(server.fetch, 'plain'),
      recorded: await memoryOf(server.fetch, 'recorded'),
    }
    process.stdout.write(JSON.stringify(memory))
  } finally {
    await server.close()
    removeProject(root)
  }
}

let chats = 0

async function memoryOf(fetch: Fetch, agent: string, count = ANSWERS): Promise<number> {
  const post = (route: string, body: object) =>
    fetch(
      new Request(`http://localhost/agents/${agent}${route}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    )
  const before = keptMemory()
  const ids = Array.from({ length: count }, () => `chat-${chats++}`)
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
  return (during - before) / count
}
