import { SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { CliProject } from '../support/project/cli-project.ts'

const SECRET = 'a signing secret of more than thirty-two bytes'
const KEY = 'the-console-key-of-32-bytes-0f3a'

/** A project with `authNext` or `auth`. */
const configWith = (auth: string) => `
  import { defineConfig, jwtAuth } from 'agentserver'
  import { order } from './src/workflows.ts'
  const provider = jwtAuth({ secret: '${SECRET}' })
  export default defineConfig({ workflows: [order], ${auth},
    configureApp: (app) => { app.get('/reports/:year', (c) => c.text('report')) } })
`
const token = await new SignJWT({ sub: 'ada' })
  .setProtectedHeader({ alg: 'HS256' })
  .sign(new TextEncoder().encode(SECRET))

describe('the operator of a project with authentication', () => {
  let project: CliProject
  beforeAll(() => {
    project = new CliProject({ 'agentserver.config.ts': configWith('authNext: { provider }') })
  })
  afterAll(() => project.end())

  it.each(['production', 'development'])(
    'needs no credentials if the command runs the project itself, in %s',
    async (NODE_ENV) => {
      const env = { NODE_ENV }
      const id = `in-${NODE_ENV}`
      const input = '{"orderId":"A-1","amount":500}'
      const ran = await project.json(['run-workflow', 'order', '--input', input, '--execution-id', id], {
        env,
      })
      expect(ran).toMatchObject({ exitCode: 3, value: { status: 'suspended' } })
      expect((await project.json(['list'], { env })).value).toMatchObject([{ id: 'order' }])
      expect((await project.json(['state', id], { env })).value.status).toBe('suspended')
      const resumed = await project.json(['resume-workflow', 'order', id, '--data', '{"ok":true}'], { env })
      expect(resumed).toMatchObject({ exitCode: 0, value: { status: 'completed' } })
    },
  )

  it('is the user of --token', async () => {
    const env = { NODE_ENV: 'production' }
    const run = (given: string) =>
      project.run(['run-workflow', 'order', '--input', '{"orderId":"A-2"}', '--token', given], { env })
    expect((await run(token)).exitCode).toBe(0)
    expect(await run('forged')).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('token') as string,
    })
    expect((await project.run(['list', '--token', token], { env })).exitCode).toBe(4)
  })

  it('needs credentials for a running server', async () => {
    const server = await project.serve('start', { env: { SERVICE_CONSOLE_ACCESS_KEY: KEY } })
    const env = { NODE_ENV: 'production' }
    expect((await project.run(['list'], { env })).exitCode).toBe(4)
    expect((await project.run(['list', '--key', KEY], { env })).exitCode).toBe(0)
    const run = ['run-workflow', 'order', '--input', '{"orderId":"A-3"}']
    expect((await project.run(run, { env })).exitCode).toBe(4)
    expect((await project.run([...run, '--token', token], { env })).exitCode).toBe(0)
    expect(server.stderr).not.toMatch(/SERVICE_CONSOLE_ACCESS_KEY|No authentication|deprecated/)
    await server.kill('SIGTERM')
  })

  it('sees the credentials of each route, including custom routes', async () => {
    const openTo = async (NODE_ENV: string) => {
      const { value } = await project.json(['routes'], { env: { NODE_ENV } })
      return Object.fromEntries(
        (value as { method: string; path: string; openTo: string }[]).map((route) => [
          `${route.method} ${route.path}`,
          route.openTo,
        ]),
      )
    }
    expect(await openTo('development')).toMatchObject({
      'GET /workflows': 'console key, development bypass',
      'POST /workflows/:id/execute': 'user token, development bypass',
      'GET /reports/:year': 'user token, development bypass',
      'GET /healthz': 'everyone',
    })
    expect(await openTo('production')).toMatchObject({
      'GET /workflows': 'console key',
      'POST /setup-observability': 'console key with user token',
      'GET /reports/:year': 'user token',
    })
    const text = await project.run(['routes'], { env: { NODE_ENV: 'production' } })
    expect(text.stdout).toMatch(/^GET +\/reports\/:year +user +user token$/m)
    expect(text.stderr).toContain('SERVICE_CONSOLE_ACCESS_KEY')
  })
})

describe('a starting server logs', () => {
  let project: CliProject
  afterEach(() => project.end())
  const start = async (auth: string, env: Readonly<Record<string, string>> = {}) => {
    project = new CliProject({ 'agentserver.config.ts': configWith(auth) })
    const server = await project.serve('start', { args: ['--port', '0'], env })
    const { stderr } = await server.kill('SIGTERM')
    return stderr
      .split('\n')
      .filter((line) => line.includes('"level":40'))
      .map((line) => (JSON.parse(line) as { msg: string }).msg)
  }

  it('once that auth is deprecated, with its replacement', async () => {
    const output = await start(`auth: { ...provider, defaultPrivate: false }`)
    expect(output.filter((line) => line.startsWith('auth is deprecated'))).toEqual([
      "auth is deprecated. Replace it with authNext: { provider: jwtAuth({ … }), publicRoutes: [...DEFAULT_PUBLIC_ROUTES, 'GET /reports/:year'] }",
    ])
  })

  it('that auth is ignored beside authNext, and that there is no console key', async () => {
    expect(await start('authNext: { provider }, auth: provider')).toEqual([
      'Both authNext and auth are configured: auth is ignored',
      'SERVICE_CONSOLE_ACCESS_KEY is not set: console routes respond with 401',
    ])
  })

  it('the routes and channels with data of all users that are open to users', async () => {
    const key = { SERVICE_CONSOLE_ACCESS_KEY: 'a console key of enough bytes' }
    const [warning = '', ...more] = await start('authNext: { provider, consoleRoutes: [] }', key)
    expect(more).toEqual([])
    for (const route of ['GET /api/logs', 'GET /observability/traces/:traceId', 'GET /observability/costs'])
      expect(warning).toContain(route)
    expect(warning).toContain('WS /ws/observability/**')
    // these leave out what belongs to others
    expect(warning).not.toMatch(/executions|search|pins|history/)
    await project.end()
    expect(await start('authNext: { provider, consoleRoutes: [], authorize: () => true }', key)).toEqual([])
  })

  it('that the console key can be guessed', async () => {
    const output = await start('authNext: { provider }', { SERVICE_CONSOLE_ACCESS_KEY: 'fifteen bytes !' })
    expect(output).toEqual([
      'SERVICE_CONSOLE_ACCESS_KEY has fewer than 16 bytes and can be guessed; create one with: openssl rand -hex 32',
    ])
  })

  it('new warnings after a reload, each once', async () => {
    project = new CliProject({ 'agentserver.config.ts': configWith('authNext: { provider }') })
    const server = await project.serve('dev', { args: ['--port', '0'] })
    for (let n = 0; n < 2; n++) {
      project.write({ 'agentserver.config.ts': `${configWith('auth: provider')}// ${n}` })
      await server.waitForOutput(new RegExp(`(?:reloaded[^]*){${n + 1}}`, 'i'))
    }
    expect(server.stderr.match(/auth is deprecated/g)).toHaveLength(1)
    await server.kill('SIGTERM')
  })
})
