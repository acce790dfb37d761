import fs from 'node:fs'
import { createWorkflow, defineConfig, jwtAuth } from 'agentserver'
import { createServer } from 'agentserver/server'
import type { AgentServer } from 'agentserver/server'
import { createTestRunner } from 'agentserver/testing'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { TempProject } from '../../support/project/temp-project.ts'

const echo = createWorkflow({ id: 'echo', name: 'Echo' }).andThen({
  id: 'echo',
  execute: () => ({ ok: true }),
})
const list = () => new Request('http://localhost/workflows')

describe('a server whose database can not be opened', () => {
  let project: TempProject
  beforeEach(() => {
    project = new TempProject({ data: 'a file where a directory is needed' })
  })
  afterEach(() => project.remove())

  function serve() {
    const lines: string[] = []
    const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
    const server = createServer(
      { workflows: [echo], database: 'file:data/agentserver.db' },
      { root: project.root, logger, production: true },
    )
    return { server, lines }
  }

  test('responds with the envelope and logs why, and starts with a request after that', async () => {
    const { server, lines } = serve()
    const response = await server.fetch(list())
    expect([response.status, await response.json()]).toEqual([
      503,
      { success: false, error: expect.any(String) as string },
    ])
    expect(lines).toEqual([expect.stringContaining('The server could not start')])
    expect(lines[0]).toContain('data/agentserver.db')
    fs.rmSync(project.path('data'))
    expect((await server.fetch(list())).status).toBe(200)
    await server.close()
  })

  test('rejects ready() and listen() with the reason', async () => {
    const { server } = serve()
    await expect(server.ready()).rejects.toMatchObject({ code: 'unavailable' })
    await expect(server.listen({ port: 0 })).rejects.toMatchObject({ code: 'unavailable' })
    await server.close()
  })
})

describe('a configuration that was compiled to CommonJS', () => {
  const config = defineConfig({ workflows: [echo], database: ':memory:' })
  const exported = (value: object) => value as typeof config

  test('is served from the exports of its module', async () => {
    const server = createServer(exported({ __esModule: true, default: config }))
    expect(await (await server.fetch(list())).json()).toMatchObject({ data: [{ id: 'echo' }] })
    await server.close()
  })

  test('is tested like another one', async () => {
    const runner = createTestRunner({ config: exported({ __esModule: true, default: config }) })
    expect(await runner.run(echo, {})).toMatchObject({ status: 'completed', result: { ok: true } })
    await runner.close()
  })

  test('may have `exports.default` alone', async () => {
    const server = createServer(exported({ default: config }))
    expect(await (await server.fetch(list())).json()).toMatchObject({ data: [{ id: 'echo' }] })
    await server.close()
  })

  test('has no option "default" otherwise', () => {
    expect(() => createServer(exported({ default: config, port: 0 }))).toThrow('unknown option "default"')
  })
})

describe('a test runner', () => {
  test('rejects with the reason for which its server does not start', async () => {
    const config = defineConfig({
      configureApp: () => {
        throw new Error('no routes today')
      },
    })
    const runner = createTestRunner({ config })
    await expect(runner.client.api.listWorkflows()).rejects.toThrow('no routes today')
    await runner.close()
  })
})

describe('createServer() checks at once', () => {
  const create = (config: object, options?: object) => () => createServer(config, options)

  test('the names of its options', () => {
    expect(create({}, { rot: '.' })).toThrow('unknown option "rot". Did you mean "root"?')
  })

  test('that the root is a directory', () => {
    expect(create({}, { root: 'no/such/directory' })).toThrow('options.root must be a directory')
  })

  test('the configuration', () => {
    expect(create({ workflow: [echo] })).toThrow('Did you mean "workflows"?')
    const provider = jwtAuth({ secret: 'short' })
    const config = { authNext: { provider }, database: ':memory:' }
    expect(create(config, { production: true })).toThrow('at least 32 bytes')
  })
})

describe('a server after close()', () => {
  test('refuses ready() and requests, and does not open its database', async () => {
    const project = new TempProject()
    const server = createServer({ workflows: [echo] }, { root: project.root })
    await Promise.all([server.close(), server.close()])
    await expect(server.ready()).rejects.toMatchObject({ code: 'unavailable' })
    expect((await server.fetch(list())).status).toBe(503)
    expect(fs.existsSync(project.path('.agentserver'))).toBe(false)
    project.remove()
  })
})

describe('a second createServer() of a project in a process, as with hot module replacement', () => {
  let project: TempProject
  beforeEach(() => {
    project = new TempProject()
  })
  afterEach(() => project.remove())

  const saying = (text: string) => createWorkflow({ id: 'say' }).andThen({ id: 'say', execute: () => text })
  const serve = (text: string) => createServer({ workflows: [saying(text)] }, { root: project.root })
  const say = async (server: AgentServer) => {
    const body = JSON.stringify({ input: {} })
    const headers = { 'Content-Type': 'application/json' }
    const url = 'http://localhost/workflows/say/execute'
    const response = await server.fetch(new Request(url, { method: 'POST', body, headers }))
    return ((await response.json()) as { data: { result: string } }).data.result
  }
  const executions = async (server: AgentServer) => {
    const response = await server.fetch(new Request('http://localhost/workflows/executions'))
    return ((await response.json()) as { data: unknown[] }).data.length
  }

  test('returns the first server, which serves the new code on the same database', async () => {
    const first = serve('old')
    expect(await say(first)).toBe('old')
    const second = serve('new')
    expect(second).toBe(first)
    expect(await say(first)).toBe('new')
    expect(await executions(second)).toBe(2)
    await first.close()
  })

  test('serves the newest code also if the first is still starting', async () => {
    const first = serve('one')
    const ready = first.ready()
    serve('two')
    const third = serve('three')
    await ready
    expect(await say(third)).toBe('three')
    await first.close()
  })

  test('keeps the code in service if the new code can not be served, and logs why', async () => {
    const first = serve('old')
    await first.ready()
    const configureApp = () => {
      throw new Error('no routes today')
    }
    const broken = createServer({ workflows: [], configureApp }, { root: project.root })
    await expect(broken.ready()).rejects.toThrow('no routes today')
    expect(await say(first)).toBe('old')
    serve('mended')
    expect(await say(first)).toBe('mended')
    await first.close()
  })

  test('waits for the first to close, and is another one then', async () => {
    const first = serve('old')
    await first.ready()
    const closed = first.close()
    const second = serve('new')
    expect(second).not.toBe(first)
    expect(await say(second)).toBe('new')
    await closed
    await second.close()
  })

  test('is a server of its own with another database', async () => {
    const memory = () => createServer({ workflows: [echo], database: ':memory:' }, { root: project.root })
    expect(memory()).not.toBe(memory())
  })
})
