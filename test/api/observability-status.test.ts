import { createWorkflow } from 'agentserver'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { dataOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

describe('GET /observability/status', () => {
  afterEach(() => vi.unstubAllEnvs())

  const statusOf = async (server: TestServer): Promise<any> => {
    try {
      return await dataOf(server.request('/observability/status'))
    } finally {
      await server.close()
    }
  }

  it('has zero counts and no export when nothing is recorded', async () => {
    const server = new TestServer({ observability: { enabled: false } })
    await server.execute('everything')
    expect(await statusOf(server)).toMatchObject({
      enabled: false,
      traceCount: 0,
      spanCount: 0,
      logCount: 0,
      logsDropped: 0,
      dropped: 0,
      export: { enabled: false, endpoint: null, lastSuccessAt: null, lastError: null, dropped: 0 },
    })
  })

  it('counts the records', async () => {
    const server = new TestServer()
    await server.execute('everything')
    const rest = await statusOf(server)
    expect(rest).toMatchObject({ enabled: true, traceCount: 1, dropped: 0 })
    expect(rest.spanCount).toBeGreaterThan(2)
  })

  it('counts records that were logged too fast to be stored', async () => {
    const flood = createWorkflow({ id: 'flood' }).andThen({
      id: 'shout',
      execute: ({ logger }) => {
        for (let n = 0; n < 12_000; n++) logger.info('flood')
      },
    })
    const server = new TestServer({ workflows: [flood] })
    await server.execute('flood')
    await expect
      .poll(async () => (await dataOf<any>(server.request('/observability/status'))).logCount)
      .toBeGreaterThanOrEqual(10_000)
    const { logsDropped, logCount } = await statusOf(server)
    expect(logsDropped).toBeGreaterThan(0)
    // plus the warnings about the loss
    expect(logsDropped + logCount - 12_000).toBeLessThan(3)
  })

  it('names the kind of database', async () => {
    expect(await statusOf(new TestServer())).toMatchObject({
      storage: 'memory',
      telemetryStorage: 'memory',
    })
  })

  it('marks the configuration of an embedding program', async () => {
    const { generation, config } = await statusOf(new TestServer())
    expect(generation).toMatchObject({ number: 1, files: [], modules: 0 })
    expect(Date.now() - Date.parse(generation.at)).toBeLessThan(60_000)
    expect(generation.ageMs).toBeGreaterThanOrEqual(0)
    expect(config).toEqual({ state: 'ok' })
  })

  it.each([
    { publicKey: 'pk-123', secretKey: 'sk-123', configured: true },
    { publicKey: 'pk-123', secretKey: ' ', configured: false },
    { publicKey: '', secretKey: 'sk-123', configured: false },
  ])('has whether both keys are set, without their values: $publicKey $secretKey', async (keys) => {
    vi.stubEnv('SERVICE_PUBLIC_KEY', keys.publicKey)
    vi.stubEnv('SERVICE_SECRET_KEY', keys.secretKey)
    const status = await statusOf(new TestServer())
    expect(status.keysConfigured).toBe(keys.configured)
    expect(JSON.stringify(status)).not.toContain('-123')
  })
})
