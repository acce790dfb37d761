import { createAgent, createTool, demoModel } from 'agentserver'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { dataOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const servers: TestServer[] = []
function made(...how: ConstructorParameters<typeof TestServer>): TestServer {
  const server = new TestServer(...how)
  servers.push(server)
  return server
}
afterEach(async () => {
  vi.unstubAllEnvs()
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

describe('GET /observability/activity', () => {
  it('counts waiting and failed executions, and the activity of the last 24 hours', async () => {
    const server = made()
    await server.execute('everything')
    await server.execute('ask')
    await server.post('/workflows/broken/execute', { input: {} })
    const activity: any = await dataOf(server.request('/observability/activity'))
    expect(activity).toMatchObject({ running: 0, suspended: 1, needsYou: { suspended: 1, failed: 1 } })
    expect(activity.hours).toHaveLength(24)
    const sum = (name: string) => activity.hours.reduce((all: number, hour: any) => all + hour[name], 0)
    expect([sum('errors'), sum('cancelled')]).toEqual([1, 0])
    expect(sum('started')).toBeGreaterThanOrEqual(3)
    expect(Date.now() - Date.parse(activity.hours.at(-1).start)).toBeLessThan(2 * 3_600_000)
  })

  it('counts only failures after `since`', async () => {
    const server = made()
    await server.post('/workflows/broken/execute', { input: {} })
    const since = new Date(Date.now() + 1000).toISOString()
    const activity: any = await dataOf(server.request(`/observability/activity?since=${since}`))
    expect(activity.needsYou).toEqual({ suspended: 0, approvals: 0, failed: 0, since })
    expect((await server.request('/observability/activity?since=yesterday')).status).toBe(400)
  })
})

describe('GET /observability/workflows', () => {
  it('returns the newest execution of every workflow, and the statuses of the newest 100', async () => {
    const server = made()
    await server.post('/workflows/broken/execute', { input: {} })
    const last = await server.post('/workflows/broken/execute', { input: {} })
    const all: any[] = (await dataOf(server.request('/observability/workflows'))) as any[]
    const { data: workflows }: any = await (await server.request('/workflows')).json()
    expect(all.map(({ workflowId }) => workflowId)).toEqual(workflows.map(({ id }: any) => id))
    expect(all.find(({ workflowId }) => workflowId === 'broken')).toMatchObject({
      last: { executionId: last.headers.get('x-execution-id'), status: 'error' },
      recent: { error: 2, completed: 0, running: 0, suspended: 0, cancelled: 0 },
    })
    expect(all.find(({ workflowId }) => workflowId === 'ask')).toMatchObject({ last: null })
  })
})

describe('the activity of the console', () => {
  it('has the last hour in slices of 5 minutes', async () => {
    const server = made()
    await server.execute('everything')
    await server.post('/workflows/broken/execute', { input: {} })
    const slices: any = await dataOf(server.request('/observability/activity/last-hour'))
    expect(slices).toHaveLength(12)
    const sum = (name: string) => slices.reduce((all: number, slice: any) => all + slice[name], 0)
    expect(sum('errors')).toBe(1)
    expect(sum('completed')).toBeGreaterThanOrEqual(1)
    expect(Date.parse(slices[1].start) - Date.parse(slices[0].start)).toBe(300_000)
    expect(Date.now() - Date.parse(slices[11].start)).toBeLessThan(600_000)
  })

  it('has the newest runs of agents and tools, and of tools the calls by agents', async () => {
    const look = createTool({
      name: 'look',
      description: 'Looks',
      inputSchema: { type: 'object' },
      execute: () => {
        throw new Error('dark')
      },
    })
    const desk = createAgent({
      id: 'desk',
      name: 'Desk',
      instructions: 'Help',
      tools: [look],
      model: demoModel(),
    })
    const server = made({ workflows: [], agents: [desk], tools: [look] })
    await server.post('/agents/desk/text', { input: 'Hello' })
    await server.post('/tools/look/execute', { input: {} })
    expect(await dataOf(server.request('/observability/agents'))).toMatchObject([
      {
        agentId: 'desk',
        runs: [{ runId: expect.any(String), status: 'completed', traceId: expect.any(String) }],
      },
    ])
    const [activity]: any = await dataOf(server.request('/observability/tools'))
    expect(activity).toMatchObject({ toolName: 'look', runs: [{ status: 'error' }] })
    expect(activity.runs[0].durationMs).toBeGreaterThanOrEqual(0)
  })

  it('has the newest executions of workflows', async () => {
    const server = made()
    await server.post('/workflows/broken/execute', { input: {} })
    const last = await server.post('/workflows/broken/execute', { input: {} })
    const all: any = await dataOf(server.request('/observability/workflows'))
    const { runs } = all.find(({ workflowId }: any) => workflowId === 'broken')
    expect(runs).toHaveLength(2)
    expect(runs[0]).toMatchObject({ executionId: last.headers.get('x-execution-id'), status: 'error' })
  })
})

describe('GET /observability/settings', () => {
  it('returns the configuration of the server, without secrets', async () => {
    vi.stubEnv('SERVICE_SECRET_KEY', 'sk-hidden')
    vi.stubEnv('OPENAI_API_KEY', 'sk-model-hidden')
    const settings: any = await dataOf(made().request('/observability/settings'))
    expect(settings).toMatchObject({
      production: false,
      auth: { mode: 'none', provider: null, bypass: false },
      config: { file: null, watched: false, files: [], fileCount: 0 },
      database: { kind: 'memory', durability: 'normal' },
      retention: { executions: { days: 30, count: 100_000 } },
      model: { origin: 'OPENAI_API_KEY' },
      updates: { allowInstall: true },
    })
    expect(settings.keys).toContainEqual({ name: 'SERVICE_SECRET_KEY', set: true, inEnvFile: false })
    expect(settings.changes).toMatchObject([{ type: 'config:loaded', data: { generation: 1 } }])
    expect(JSON.stringify(settings)).not.toContain('hidden')
  })
})
