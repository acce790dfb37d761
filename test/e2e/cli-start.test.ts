import fs from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CliProject } from '../support/project/cli-project.ts'
import { until } from '../support/until.ts'

describe('agentserver start', () => {
  let project: CliProject

  beforeEach(() => {
    project = new CliProject()
  })
  afterEach(() => project.end())

  it('defaults to production, and warns of public routes and hosts', async () => {
    project.write({
      'agentserver.config.ts': `console.error('mode', process.env.NODE_ENV); export default {}`,
    })
    const server = await project.serve('start', { args: ['--port', '0', '--host', '0.0.0.0'] })
    await server.waitForOutput('mode production')
    await server.waitForOutput('No authentication is configured')
    await server.waitForOutput('Listening on 0.0.0.0 without authentication')
    const logged = server.stderr.split('\n').filter((line) => line.startsWith('{'))
    expect(logged.map((line) => JSON.parse(line).level)).toEqual([40, 40, 30, 30, 30])
    expect((await server.get('/ui')).status).toBe(404)
  })

  it.each([
    ['', 'an execution belongs to the user who started it: others cannot read, stream, cancel or replay it'],
    [`ownership: 'strict',`, 'an execution belongs to the user who started it: others cannot use it'],
    ['authorize: () => true,', 'authNext.authorize decides'],
  ])('says in one line who may use executions: authNext { %s }', async (option, rule) => {
    const provider = `jwtAuth({ secret: 'a signing secret of more than thirty-two bytes' })`
    project.write({
      'agentserver.config.ts': `import { jwtAuth } from 'agentserver'
        export default { authNext: { ${option} provider: ${provider} } }`,
    })
    const server = await project.serve('start', { args: ['--port', '0'] })
    await server.waitForOutput(`Access: ${rule}`)
    expect(server.stderr.match(/Access: /g)).toHaveLength(1)
  })

  it('logs each request at level debug without its query, except log queries', async () => {
    const server = await project.serve('start', { args: ['--port', '0', '--log-level', 'debug'] })
    await server.get('/workflows?key=secret')
    await server.get('/nowhere')
    const logged = async () =>
      ((await server.get('/api/logs?level=debug')).data as { message: string }[]).map(
        ({ message }) => message,
      )
    await expect.poll(logged).toEqual(expect.arrayContaining(['GET /workflows 200', 'GET /nowhere 404']))
    const again = await logged()
    expect(again.filter((message) => message.includes('/api/logs') || message.includes('secret'))).toEqual([])
  })

  it('rejects an invalid config', async () => {
    project.write({ 'agentserver.config.ts': `export default { prot: 1 }` })
    const { exitCode, stderr } = await project.run(['start'])
    expect(stderr).toContain('unknown option "prot". Did you mean "port"?')
    expect(exitCode).toBe(2)
  })

  it('continues after kill -9 without running a recorded step twice', async () => {
    const first = await project.serve('start')
    const started = first.post('/workflows/slow/execute', {
      input: { n: 1 },
      options: { executionId: 'survivor' },
    })
    started.catch(() => undefined)
    await project.noted('second')
    await first.kill('SIGKILL')
    project.openGate()
    const second = await project.serve('start')
    await project.noted('third')
    await expect
      .poll(async () => (await second.get('/workflows/slow/executions/survivor')).data.status)
      .toBe('completed')
    expect(project.notes()).toEqual(['first', 'second', 'second', 'third'])
    expect(project.read('.agentserver/server.json')).toContain(second.url)
  })

  it('lets commands run in their own process after it was killed', async () => {
    const server = await project.serve('start')
    await server.kill('SIGKILL')
    expect(fs.existsSync(project.path('.agentserver/server.json'))).toBe(true)
    expect((await project.json(['run-workflow', 'order', '--input', '{"orderId":"A"}'])).exitCode).toBe(0)
  })

  it('stops on SIGTERM with open streams, and removes its server file', async () => {
    const server = await project.serve('start')
    const { data } = await server.post('/workflows/order/execute', { input: { orderId: 'A-1', amount: 500 } })
    const stream = await fetch(`${server.url}/workflows/order/executions/${data.executionId}/stream`)
    const reader = stream.body?.getReader()
    await reader?.read()
    // less than the grace period for steps
    const startedAt = performance.now()
    const { exitCode } = await server.kill('SIGTERM')
    expect(exitCode).toBe(0)
    expect(performance.now() - startedAt).toBeLessThan(7500)
    expect(fs.existsSync(project.path('.agentserver/server.json'))).toBe(false)
  })

  it('finishes the current step on SIGTERM; the next start resumes the execution', async () => {
    const first = await project.serve('start')
    first
      .post('/workflows/slow/execute', { input: {}, options: { executionId: 'patient' } })
      .catch(() => undefined)
    await project.noted('second')
    first.signal('SIGTERM')
    await until(() => !fs.existsSync(project.path('.agentserver/server.json')), 'the server to stop')
    project.openGate()
    expect((await first.ended()).exitCode).toBe(0)
    expect((await project.json(['state', 'patient'])).value.status).toBe('running')
    await project.serve('start')
    await project.noted('third')
    expect(project.notes()).toEqual(['first', 'second', 'third'])
  })

  it('exits with 1 after an uncaught error', async () => {
    project.write({
      'agentserver.config.ts': `
        export default { configureApp: (app) => {
          app.get('/crash', (c) => { setTimeout(() => { throw new Error('out of the blue') }); return c.json({}) })
        } }`,
    })
    const server = await project.serve('start')
    await server.get('/crash')
    const { exitCode, stderr } = await server.ended()
    expect(stderr).toContain('out of the blue')
    expect(exitCode).toBe(1)
  })
})
