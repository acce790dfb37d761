import { spawnSync } from 'node:child_process'
import { createAgent, demoModel } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { afterEach, expect, it, vi } from 'vitest'
import { SocketReader } from '../support/clients/socket-reader.ts'
import { TestServer } from '../support/server/test-server.ts'

const servers: TestServer[] = []
afterEach(async () => {
  vi.useRealTimers()
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

function serve(...args: ConstructorParameters<typeof TestServer>): TestServer {
  const server = new TestServer(...args)
  servers.push(server)
  return server
}

type Samples = ReadonlyMap<string, number>

async function scrapeText(server: TestServer): Promise<string> {
  const response = await server.request('/observability/metrics')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  return response.text()
}

/** The samples of a scrape, by name and labels. */
async function scrape(server: TestServer): Promise<Samples> {
  const lines = (await scrapeText(server)).trimEnd().split('\n')
  const samples = new Map<string, number>()
  const described = new Set<string>()
  for (const line of lines) {
    const [, keyword, name = ''] = /^# (HELP|TYPE) (\w+) \S/.exec(line) ?? []
    if (keyword === 'TYPE') {
      expect([...described]).not.toContain(name)
      described.add(name)
    }
    if (keyword !== undefined) continue
    const [, sample = '', value = ''] =
      /^([a-z_]+(?:\{(?:\w+="(?:[^"\\\n]|\\[\\"n])*",?)*\})?) (\S+)$/.exec(line) ?? []
    expect([line, sample]).not.toContain('')
    expect([line, Number(value)]).not.toContain(Number.NaN)
    expect([...described]).toContain(sample.replace(/\{.*/, '').replace(/_(bucket|sum|count)$/, ''))
    expect([line, samples.has(sample)]).toEqual([line, false])
    samples.set(sample, Number(value))
  }
  return samples
}

it('executions are counted by status, and the duration of steps is measured', async () => {
  const server = serve()
  await server.execute('echo')
  await server.execute('echo')
  await server.post('/workflows/broken/execute', { input: {} })
  await server.execute('order', { orderId: 'A', amount: 400 })
  const held = await server.startHeldExecution()
  const samples = await scrape(server)
  const executions = (workflow: string, status: string) =>
    samples.get(`agentserver_executions_total{workflow="${workflow}",status="${status}"}`)
  expect(executions('echo', 'completed')).toBe(2)
  expect(executions('broken', 'error')).toBe(1)
  expect(executions('order', 'suspended')).toBe(1)
  expect(samples.get('agentserver_executions_started_total{workflow="echo"}')).toBe(2)
  expect(samples.get('agentserver_executions_running{workflow="hold"}')).toBe(1)
  expect(samples.get('agentserver_steps_total{workflow="broken",type="andThen",status="error"}')).toBe(1)
  expect(samples.get('agentserver_steps_total{workflow="broken",type="andThen",status="completed"}')).toBe(1)
  const echo = 'workflow="echo",type="andThen"'
  expect(samples.get(`agentserver_step_duration_seconds_count{${echo}}`)).toBe(2)
  expect(samples.get(`agentserver_step_duration_seconds_bucket{${echo},le="+Inf"}`)).toBe(2)
  server.gate.open(held)
  await server.post(`/workflows/hold/executions/${held}/cancel`)
  await expect
    .poll(async () =>
      [...(await scrape(server)).keys()].some((key) => key.includes('running{workflow="hold"}')),
    )
    .toBe(false)
})

it('the duration of a step excludes the time it was suspended', async () => {
  const server = serve()
  const { executionId } = await server.execute('order', { orderId: 'A', amount: 400 })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
  await server.post(`/workflows/order/executions/${executionId}/resume`, { resumeData: { ok: true } })
  const samples = await scrape(server)
  for (const type of ['andThen', 'andWhen']) {
    const took = samples.get(`agentserver_step_duration_seconds_sum{workflow="order",type="${type}"}`)
    expect([type, took]).not.toContain(undefined)
    expect(took).toBeLessThan(60)
  }
  const { events } = await server.record('order', executionId)
  const durations = events.flatMap((event) => ('durationMs' in event ? Number(event['durationMs']) : []))
  expect(durations.length).toBeGreaterThan(2)
  expect(Math.max(...durations)).toBeLessThan(60_000)
})

it('requests are counted by route pattern, not by path', async () => {
  const server = serve({
    configureApp: (app) => {
      app.get('/items/:item', (c) => c.text('item'))
    },
  })
  for (const id of ['a', 'b', 'c']) await server.request(`/workflows/${id}-private`)
  await server.request('/items/secret-1')
  await server.request('/items/secret-2', { method: 'HEAD' })
  for (const path of ['/nothing/1', '/nothing/2']) await server.request(path)
  await server.request('/workflows', { method: 'PURGE' })
  const samples = await scrape(server)
  const requests = (method: string, route: string, status: number) =>
    samples.get(`agentserver_http_requests_total{method="${method}",route="${route}",status="${status}"}`)
  expect(requests('GET', '/workflows/:id', 404)).toBe(3)
  expect(requests('GET', '/items/:item', 200)).toBe(1)
  expect(requests('HEAD', '/items/:item', 200)).toBe(1)
  expect(requests('GET', 'none', 404)).toBe(2)
  expect(requests('other', 'none', 405)).toBe(1)
  const duration = 'agentserver_http_request_duration_seconds_count{method="GET",route="/workflows/:id"}'
  expect(samples.get(duration)).toBe(3)
  expect([...samples.keys()].filter((key) => /private|secret|nothing/.test(key))).toEqual([])
})

it('the tokens of a sub-agent are counted once, for the sub-agent', async () => {
  const spends = { usage: { inputTokens: 10, outputTokens: 4, cachedInputTokens: 3, reasoningTokens: 2 } }
  const make = (id: string, ...script: Parameters<typeof scriptedModel>[0]) => ({
    id,
    name: id,
    instructions: 'Help.',
    model: scriptedModel(script),
  })
  const helper = createAgent(make('helper', { text: 'Because', ...spends }))
  const toolCalls = [{ toolName: 'ask_helper', input: { prompt: 'Why?' } }]
  const boss = createAgent({
    ...make('boss', { toolCalls, ...spends }, { text: 'Because, they say', ...spends }),
    subAgents: [helper],
  })
  const server = serve({ agents: [boss, helper] })
  await server.post('/agents/boss/text', { input: 'Why?' })
  const samples = await scrape(server)
  const tokens = (agent: string, type: string) =>
    samples.get(`agentserver_agent_tokens_total{agent="${agent}",model="scripted/scripted",type="${type}"}`)
  const types = ['input', 'output', 'cached_input', 'reasoning']
  expect(types.map((type) => tokens('boss', type))).toEqual([20, 8, 6, 4])
  expect(types.map((type) => tokens('helper', type))).toEqual([10, 4, 3, 2])
})

it('agent runs and their tokens are counted by model', async () => {
  const clerk = createAgent({
    id: 'clerk',
    name: 'Clerk',
    instructions: 'Help.',
    model: demoModel({ delayMs: 0 }),
  })
  const server = serve({ agents: [clerk] })
  const response = await server.post('/agents/clerk/text', { input: 'Hello' })
  const { data } = (await response.json()) as { data: { usage: { inputTokens: number } } }
  const samples = await scrape(server)
  const run = [...samples].find(([key]) => key.startsWith('agentserver_agent_runs_total'))
  expect(run?.[0]).toMatch(/\{agent="clerk",model="[^"]+",status="completed"\}$/)
  const input = [...samples].find(([key]) => /agent_tokens_total\{.*type="input"/.test(key))
  expect(input?.[1]).toBe(data.usage.inputTokens)
})

it('the process, queues and connections have gauges', async () => {
  const server = serve()
  const { url } = await server.listen()
  const reader = await SocketReader.open(url)
  const samples = await scrape(server)
  expect(samples.get('agentserver_websocket_clients')).toBe(1)
  for (const queue of ['logs', 'spans', 'export'])
    expect(samples.get(`agentserver_queue_size{queue="${queue}"}`)).toBeTypeOf('number')
  for (const kind of ['logs', 'spans', 'export'])
    expect(samples.get(`agentserver_telemetry_dropped_total{kind="${kind}"}`)).toBe(0)
  expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(10_000_000)
  expect(samples.get('agentserver_event_loop_lag_seconds{quantile="0.99"}')).toBeGreaterThanOrEqual(0)
  reader.close()
  await expect.poll(async () => (await scrape(server)).get('agentserver_websocket_clients')).toBe(0)
})

/** A server whose metrics have series. */
async function usedServer(): Promise<TestServer> {
  const server = serve()
  await server.execute('everything')
  await server.post('/workflows/broken/execute', { input: {} })
  return server
}

it('only histograms and summaries have the labels that Prometheus reserves for them', async () => {
  const text = await scrapeText(await usedServer())
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]))
  const labelled = (label: string) => [
    ...new Set(
      [...text.matchAll(new RegExp(`^(\\w+)\\{.*?\\b${label}="`, 'gm'))].map(([, name = '']) =>
        types.get(name.replace(/_bucket$/, '')),
      ),
    ),
  ]
  expect(labelled('quantile')).toEqual(['summary'])
  expect(labelled('le')).toEqual(['histogram'])
})

const hasPromtool = spawnSync('promtool', ['--version']).status === 0

it.runIf(hasPromtool)('promtool finds nothing to criticize', async () => {
  const input = await scrapeText(await usedServer())
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' })
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
})
