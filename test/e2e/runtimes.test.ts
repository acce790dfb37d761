import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { SocketReader } from '../support/clients/socket-reader.ts'
import { findRuntime } from '../support/process/find-runtime.ts'
import { CliProject } from '../support/project/cli-project.ts'
import { until } from '../support/until.ts'

const EMBEDDED = fileURLToPath(new URL('../support/process/embedded-server.mjs', import.meta.url))

const FILES = {
  'agentserver.config.ts': `
    import { createAgent, createTool, defineConfig } from 'agentserver'
    import { z } from 'zod'
    import { text } from './src/greeting.ts'
    import { order, slow } from './src/workflows.ts'

    const add = createTool({
      name: 'add', description: 'Adds two numbers',
      inputSchema: z.object({ a: z.number(), b: z.number() }), execute: ({ a, b }) => ({ sum: a + b }),
    })
    const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Add numbers', tools: [add] })
    export default defineConfig({
      agents: [clerk],
      workflows: [order, slow],
      configureApp: (app) => {
        app.get('/greeting', (c) => c.text(\`\${text} \${process.env['GREETED']}\`))
        app.get('/runtime', (c) => c.json({ data: ['bun', 'deno'].find((name) => name in process.versions) ?? 'node' }))
      },
    })
  `,
  'src/greeting.ts': "export const text: string = 'hello'\n",
  '.env':
    'GREETED=Ada\nOPENAI_API_KEY=\nANTHROPIC_API_KEY=\nGOOGLE_GENERATIVE_AI_API_KEY=\nAGENTSERVER_MODEL=\n',
}

// Bun and Deno are tested where they are on the PATH: .ci/run installs them
describe.each(['node', 'bun', 'deno'] as const)('agentserver on %s', (name) => {
  const runtime = findRuntime(name)
  let project: CliProject
  const serve = (command: 'dev' | 'start') => {
    project = new CliProject(FILES, runtime)
    return project.serve(command)
  }
  afterEach(() => project.end())

  it.skipIf(!runtime)('starts a server that executes, resumes and streams workflows', async () => {
    const server = await serve('start')
    expect((await server.get('/runtime')).data).toBe(name)
    const execute = (amount: number) =>
      server.post('/workflows/order/execute', { input: { orderId: 'A-1', amount } })
    expect((await execute(7)).data).toMatchObject({ status: 'completed', result: { charged: true } })
    const { data: waiting } = await execute(700)
    expect(waiting).toMatchObject({ status: 'suspended' })
    const resume = `/workflows/order/executions/${waiting.executionId}/resume`
    expect((await server.post(resume, { resumeData: { ok: true } })).data).toMatchObject({
      status: 'completed',
      result: { amount: 700, ok: true },
    })
    const stream = await fetch(new URL('/workflows/order/stream', server.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ input: { orderId: 'A-2' } }),
    })
    expect(await stream.text()).toContain('"type":"workflow-complete"')
  })

  it.skipIf(!runtime)('chats with the demo model, which calls a tool', async () => {
    const server = await serve('dev')
    const { data } = await server.post('/agents/clerk/text', { input: 'add 2 and 3' })
    expect(data).toMatchObject({ text: expect.stringContaining('5') })
  })

  it.skipIf(!runtime)(
    'serves saves of code and .env, and notifies the console over its WebSocket',
    async () => {
      const server = await serve('dev')
      const socket = await SocketReader.open(server.url)
      socket.subscribe('config')
      await socket.settled()
      const before = socket.messages.length
      project.write({ 'src/greeting.ts': "export const text: string = 'good morning'\n" })
      const greeting = async () => (await fetch(new URL('/greeting', server.url))).text()
      await expect.poll(greeting).toBe('good morning Ada')
      project.write({ '.env': 'GREETED=Grace\n' })
      await expect.poll(greeting).toBe('good morning Grace')
      await until(() => socket.messages.length > before, 'a message about the reload')
      socket.socket.terminate()
    },
  )

  it.skipIf(!runtime)('completes after kill -9 the execution that was running', async () => {
    const server = await serve('start')
    const lost = server.post('/workflows/slow/execute', { input: {}, options: { executionId: 'one' } })
    lost.catch(() => undefined)
    await project.noted('second')
    await server.kill('SIGKILL')
    project.openGate()
    const next = await project.serve('start')
    const record = async () => (await next.get('/workflows/slow/executions/one')).data
    await expect.poll(async () => (await record()).status).toBe('completed')
    expect(project.notes()).toEqual(['first', 'second', 'second', 'third'])
  })

  it.skipIf(!runtime)('serves the console with its scripts and styles', async () => {
    const server = await serve('dev')
    const page = await fetch(new URL('/console/', server.url))
    const html = await page.text()
    const assets = [...html.matchAll(/(?:src|href)="([^"]+\.(?:js|css|svg))"/g)].map(([, file = '']) => file)
    expect(assets.length).toBeGreaterThan(1)
    for (const asset of assets) {
      const response = await fetch(new URL(asset, page.url))
      expect({ asset, status: response.status, isEmpty: (await response.text()) === '' }).toEqual({
        asset,
        status: 200,
        isEmpty: false,
      })
    }
  })

  it.skipIf(!runtime)('answers requests in a program that embeds it', async () => {
    const [program = '', ...args] = runtime ?? []
    expect(await promisify(execFile)(program, [...args, EMBEDDED])).toEqual({ stdout: '', stderr: '' })
  })
})
