import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CliProject, until } from '../fixtures/cli-project.ts'

describe('agentserver dev', () => {
  let project: CliProject

  beforeEach(() => {
    project = new CliProject()
  })
  afterEach(() => project.end())

  const change = (from: string, to: string) =>
    project.write({ 'src/workflows.ts': project.read('src/workflows.ts').replace(from, to) })

  it('says where everything is', async () => {
    const dev = project.spawn(['dev', '--port', '0'])
    let stdout = ''
    dev.stdout?.on('data', (text: Buffer) => (stdout += text.toString()))
    await until(() => /Database/.test(stdout), 'the banner')
    const url = /Home +(http:\/\/127\.0\.0\.1:\d+\/)/.exec(stdout)?.[1] ?? ''
    expect((await fetch(url)).status).toBe(200)
    expect(stdout).toMatch(/ready in \d+ ms/)
    expect(stdout).toContain(`${url}ui`)
    expect(stdout).toContain(`${url}doc`)
    expect(stdout).toContain('3 workflows')
    expect(stdout).not.toContain('Model')
    dev.kill('SIGINT')
    expect((await dev).exitCode).toBe(0)
  })

  it('tells which model answers, once there are agents', async () => {
    project.write({
      'agentserver.config.ts': `
        import { createAgent, defineConfig } from 'agentserver'
        export default defineConfig({ agents: [createAgent({ id: 'a', name: 'A', instructions: 'Help.' })] })`,
    })
    const env = { OPENAI_API_KEY: 'sk-0123456789abcdef0123', AGENTSERVER_MODEL: undefined }
    const dev = project.spawn(['dev', '--port', '0'], { env })
    let stdout = ''
    dev.stdout?.on('data', (text: Buffer) => (stdout += text.toString()))
    await until(() => /Model/.test(stdout), 'the banner')
    expect(stdout).toMatch(/Model +openai\/\S+ \(OPENAI_API_KEY\)/)
    expect(stdout).not.toContain('0123456789')
    dev.kill('SIGTERM')
    await dev
  })

  it('serves each save at once; an execution that runs ends on the code it began with', async () => {
    const server = await project.serve('dev')
    const begun = server.post('/workflows/slow/execute', { input: {} })
    await project.noted('second')
    change('Ship an order', 'Ship THE order')
    change("'as it was'", "'as it is now'")
    await server.says(/reloaded src\/workflows\.ts → \d+ modules, \d+ ms, generation \d/)
    expect((await server.get('/workflows/order')).data.purpose).toBe('Ship THE order')
    project.openGate()
    expect((await begun).data.result).toEqual({ code: 'as it was' })
    expect((await server.post('/workflows/slow/execute', { input: {} })).data.result).toEqual({
      code: 'as it is now',
    })
  })

  it('goes on serving when a save does not load, and shows the place', async () => {
    const server = await project.serve('dev')
    change('charged: true', 'charged: tru(')
    await server.says('still serving generation 1')
    expect(server.stderr).toMatch(/SyntaxError[\s\S]*at src\/workflows\.ts:\d+:\d+[\s\S]*> +\d+ \|/)
    expect((await server.get('/workflows')).status).toBe(200)
    change('charged: tru(', 'charged: true')
  })

  it('comes up with a config that does not load, and heals with it', async () => {
    project.write({ 'agentserver.config.ts': 'export default nonsense' })
    const server = await project.serve('dev')
    await server.says('nothing is served until this is fixed')
    expect((await server.get('/workflows')).status).toBe(503)
    project.write({
      'agentserver.config.ts': `
        import { order } from './src/workflows.ts'
        export default { workflows: [order] }`,
    })
    await server.says('generation 1')
    expect((await server.get('/workflows')).data).toMatchObject([{ id: 'order' }])
  })

  it('keeps what serves when the routes of a save throw', async () => {
    const server = await project.serve('dev')
    const config = project.read('agentserver.config.ts')
    const withRoutes = (body: string) =>
      project.write({
        'agentserver.config.ts': config.replace(
          'workflows: [',
          `configureApp: (app) => { ${body} }, workflows: [`,
        ),
      })
    withRoutes("throw new Error('no routes today')")
    await server.says('Error: no routes today')
    expect((await server.get('/workflows')).data).toHaveLength(3)
    withRoutes("app.get('/hello', (c) => c.json({ data: 'hi' }))")
    await server.says('reloaded')
    expect((await server.get('/hello')).data).toBe('hi')
  })

  it('takes the next port when its own is busy, unless somebody asked for it', async () => {
    const busy = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => busy.once('listening', resolve))
    const { port } = busy.address() as AddressInfo
    try {
      const asked = await project.run(['dev', '--port', String(port)])
      expect(asked).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(`Port ${port}`) })
      const byVariable = await project.run(['dev'], { env: { PORT: String(port) } })
      expect(byVariable.exitCode).toBe(2)
      expect((await project.run(['dev', '--port', '70000'])).exitCode).toBe(2)
    } finally {
      busy.close()
    }
  })

  it('finds a free port by itself', async () => {
    const other = new CliProject()
    try {
      const first = await project.serve('dev', { args: [] })
      const second = await other.serve('dev', { args: [] })
      expect(second.url).not.toBe(first.url)
      await second.says(/Port \d+ is in use; took \d+/)
    } finally {
      await other.end()
    }
  })

  it('refuses to be the second on one database, and names the first', async () => {
    await project.serve('dev')
    const { pid } = JSON.parse(project.read('.agentserver/server.json')) as { pid: number }
    const second = await project.run(['dev', '--port', '0'])
    expect(second).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(`in use by process ${pid}`) })
    expect(JSON.parse(project.read('.agentserver/server.json'))).toMatchObject({ pid })
  })

  it('says that a new database, port or host needs a restart', async () => {
    const server = await project.serve('dev', { args: [], env: { PORT: undefined } })
    const config = project.read('agentserver.config.ts')
    const changed = "database: 'file:other.db', port: 4999, host: '127.0.0.2', workflows: ["
    project.write({ 'agentserver.config.ts': config.replace('workflows: [', changed) })
    await server.says('database and host and port changed: restart to use the new value')
    expect((await server.get('/workflows')).status).toBe(200)
  })

  it('logs errors that nobody caught, and goes on', async () => {
    const server = await project.serve('dev')
    change("console.log('the step says hello')", "setTimeout(() => { throw new Error('left behind') })")
    await server.says('reloaded')
    await server.post('/workflows/order/execute', { input: { orderId: 'A-1' } })
    await server.says('left behind')
    expect((await server.get('/workflows')).status).toBe(200)
  })
})
