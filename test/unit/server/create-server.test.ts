import fs from 'node:fs'
import { createWorkflow, defineConfig } from 'agentserver'
import { createServer } from 'agentserver/server'
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

  test('has no option "default" otherwise', () => {
    expect(() => createServer(exported({ default: config }))).toThrow('unknown option "default"')
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
    await expect(runner.client.listWorkflows()).rejects.toThrow('no routes today')
    await runner.close()
  })
})
