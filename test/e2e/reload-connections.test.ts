import http from 'node:http'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { SocketReader } from '../support/clients/socket-reader.ts'
import { DevProject, greetingOf } from '../support/project/dev-project.ts'

const RELOADS = 20

const project = new DevProject({
  'agentserver.config.ts': `
    import { defineConfig } from 'agentserver'
    import { greeting } from './src/greeting.ts'
    import { slow } from './src/workflows.ts'

    export default defineConfig({
      workflows: [slow],
      configureApp: (app) => {
        app.get('/greeting', (c) => c.json({ data: greeting }))
      },
    })
  `,
  'src/greeting.ts': greetingOf('hello'),
})

beforeAll(() => project.start())
afterAll(() => project.end())

/** A client that keeps one connection and counts how many it opened. */
class KeptConnection {
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  opened = 0

  async get(route: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const request = http.get(new URL(route, project.server.url), { agent: this.#agent }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => (text += part))
        response.on('end', () => resolve(`${response.statusCode} ${text}`))
      })
      request.on('error', reject)
      request.on('socket', () => {
        if (!request.reusedSocket) this.opened++
      })
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

it(`streams, connections and requests survive ${RELOADS} reloads`, async () => {
  const stream = await fetch(new URL('/workflows/slow/stream', project.server.url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"input":{"n":1}}',
  })
  const events = stream.text()
  await project.noted('second')
  const kept = new KeptConnection()
  const answers = new Map<string, number>()
  let polling = true
  const poll = async () => {
    while (polling) {
      const answer = await kept.get('/greeting')
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
    }
  }
  const polled = poll()
  for (let round = 1; round <= RELOADS; round++) {
    project.write({ 'src/greeting.ts': greetingOf(`round ${round}`) })
    await project.serves('/greeting', `round ${round}`)
  }
  polling = false
  await polled
  kept.close()
  project.openGate()

  expect(await project.generation()).toBe(1 + RELOADS)
  expect(kept.opened).toBe(1)
  expect([...answers.keys()].filter((answer) => !answer.startsWith('200 {"data":"'))).toEqual([])
  const received = (await events).match(/(?<="type":")[\w-]+/g)
  expect(received?.filter((type) => type === 'step-complete')).toHaveLength(3)
  expect(received?.at(-1)).toBe('workflow-result')
})

it('a console socket receives each load and each failure', async () => {
  const reader = await SocketReader.open(project.server.url)
  onTestFinished(() => reader.close())
  reader.subscribe('config')
  await reader.settled()
  const saved = async (text: string, messages: number) => {
    project.write({ 'src/greeting.ts': text })
    await reader.received(messages)
  }
  await saved(greetingOf('told'), 1)
  await saved('export const greeting = (', 2)
  await saved(greetingOf('mended'), 3)

  const [hello, loaded, failed, mended] = reader.messages as any[]
  const { generation } = hello
  expect(generation).toBe((await project.generation()) - 2)
  expect(loaded).toMatchObject({
    v: 1,
    topic: 'config',
    type: 'config:loaded',
    data: { generation: generation + 1, files: ['src/greeting.ts'], added: [], changed: [], removed: [] },
  })
  expect(failed).toMatchObject({
    seq: loaded.seq + 1,
    type: 'config:error',
    data: { name: 'SyntaxError', file: 'src/greeting.ts', line: 1, generation: generation + 1 },
  })
  expect(failed.data.frame).toContain('> 1 | export const greeting = (')
  expect(mended).toMatchObject({ type: 'config:loaded', data: { generation: generation + 2 } })
})
