import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CliProject } from '../support/project/cli-project.ts'
import { until } from '../support/until.ts'

const LIST_MODULES = new URL('../support/process/list-modules.mjs', import.meta.url).href

describe('agentserver dev', () => {
  let project: CliProject

  beforeEach(() => {
    project = new CliProject()
  })
  afterEach(() => project.end())

  const change = (from: string, to: string) =>
    project.write({ 'src/workflows.ts': project.read('src/workflows.ts').replace(from, to) })

  it('prints the URLs', async () => {
    const dev = project.spawn(['dev', '--port', '0'])
    let stdout = ''
    dev.stdout?.on('data', (text: Buffer) => (stdout += text.toString()))
    await until(() => /Database/.test(stdout), 'the banner')
    const url = /Home +(http:\/\/127\.0\.0\.1:\d+\/)/.exec(stdout)?.[1] ?? ''
    expect((await fetch(url)).status).toBe(200)
    expect(stdout).toMatch(/ready in \d+ ms/)
    expect(stdout).toContain(`${url}ui`)
    expect(stdout).toContain(`${url}doc`)
    expect(stdout).toContain('4 workflows')
    expect(stdout).not.toContain('Model')
    dev.kill('SIGINT')
    expect((await dev).exitCode).toBe(0)
  })

  it('prints the model if there are agents', async () => {
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

  it('loads packages lazily', async () => {
    const env = { NODE_OPTIONS: `--import ${LIST_MODULES}`, LOADED_MODULES: project.path('modules') }
    const server = await project.serve('dev', { env })
    expect((await server.get('/workflows')).data).toHaveLength(4)
    await server.kill('SIGTERM')
    const names = project.read('modules').matchAll(/.*node_modules[/\\]((?:@[^/\\\n]+[/\\])?[^/\\\n]+)/g)
    const packages = new Set([...names].map(([, name = '']) => name.replace('\\', '/')))
    expect([...packages]).toEqual(expect.arrayContaining(['commander', 'zod', 'hono', '@opentelemetry/api']))
    const later =
      /^(ai|ajv|execa|jose|ws|@a2a-js.*|@ai-sdk.*|@modelcontextprotocol.*|@opentelemetry.(core|resources|sdk-.*|otlp-.*))$/
    expect([...packages].filter((name) => later.test(name))).toEqual([])
  })

  it('fails if the requested port is in use', async () => {
    const busy = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => busy.once('listening', resolve))
    const { port } = busy.address() as AddressInfo
    try {
      const explicit = await project.run(['dev', '--port', String(port)])
      expect(explicit).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(`Port ${port}`) })
      const byVariable = await project.run(['dev'], { env: { PORT: String(port) } })
      expect(byVariable.exitCode).toBe(2)
      expect((await project.run(['dev', '--port', '70000'])).exitCode).toBe(2)
    } finally {
      busy.close()
    }
  })

  it('uses the next free port if the default one is in use', async () => {
    const other = new CliProject()
    try {
      const first = await project.serve('dev', { args: [] })
      const second = await other.serve('dev', { args: [] })
      expect(second.url).not.toBe(first.url)
      await second.waitForOutput(/Port \d+ is in use; using \d+/)
    } finally {
      await other.end()
    }
  })

  it('fails if the project is already served, with the URL of its server', async () => {
    const first = await project.serve('dev')
    const { pid } = JSON.parse(project.read('.agentserver/server.json')) as { pid: number }
    const second = await project.run(['dev', '--port', '0'])
    expect(second.stderr).toContain(`This project is already served at ${first.url} (process ${pid})`)
    expect(second.stderr).toContain(`${first.url}/console/`)
    expect(second.exitCode).toBe(2)
    const start = await project.json(['start', '--port', '0'])
    expect(start.value).toEqual({ success: false, error: expect.stringContaining(first.url) })
    expect(JSON.parse(project.read('.agentserver/server.json'))).toMatchObject({ pid })
  })

  it('reports that a new database, port or host requires a restart', async () => {
    const server = await project.serve('dev', { args: [], env: { PORT: undefined } })
    const config = project.read('agentserver.config.ts')
    const changed = "database: 'file:other.db', port: 4999, host: '127.0.0.2', workflows: ["
    project.write({ 'agentserver.config.ts': config.replace('workflows: [', changed) })
    await server.waitForOutput('database and host and port changed: restart to use the new value')
    expect((await server.get('/workflows')).status).toBe(200)
  })

  it('logs uncaught errors and keeps running', async () => {
    const server = await project.serve('dev')
    change("console.log('the step says hello')", "setTimeout(() => { throw new Error('left behind') })")
    await server.waitForOutput('reloaded')
    await server.post('/workflows/order/execute', { input: { orderId: 'A-1' } })
    await server.waitForOutput('left behind')
    expect((await server.get('/workflows')).status).toBe(200)
  })
})
