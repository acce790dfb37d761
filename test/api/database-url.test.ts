import { defineConfig } from 'agentserver'
import { createServer } from 'agentserver/server'
import { createTestRunner } from 'agentserver/testing'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { dataOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'
import { Gate, sampleWorkflows } from '../support/server/sample-workflows.ts'

beforeEach(() => vi.stubEnv('DATABASE_URL', 'postgres://app:pass4word@127.0.0.1:1/shop'))
afterEach(() => vi.unstubAllEnvs())

it('a program that asks for a database in memory gets one, whatever DATABASE_URL says', async () => {
  const server = new TestServer()
  expect(await dataOf(server.request('/observability/status'))).toMatchObject({ storage: 'memory' })
  await server.close()
})

it('a test runner has its database in memory, whatever DATABASE_URL says', async () => {
  const config = defineConfig({ workflows: sampleWorkflows(new Gate()) })
  const runner = createTestRunner({ config })
  expect(await runner.client.api.getObservabilityStatus()).toMatchObject({ storage: 'memory' })
  await runner.close()
})

it('a program that names a file does not start beside another database in DATABASE_URL', () => {
  expect(() => createServer({ database: 'file:data.db' })).toThrow(
    'database: "file:data.db" and DATABASE_URL "postgres://app:***@127.0.0.1:1/shop" name two databases',
  )
})

it('settings show that DATABASE_URL is set, and no password', async () => {
  const server = new TestServer()
  const settings = await dataOf<{ keys: { name: string; set: boolean }[] }>(
    server.request('/observability/settings'),
  )
  expect(settings.keys).toContainEqual(expect.objectContaining({ name: 'DATABASE_URL', set: true }))
  expect(JSON.stringify(settings)).not.toContain('pass4word')
  await server.close()
})
