import type { Client } from '@modelcontextprotocol/client'
import { createAgent, createWorkflow, demoModel } from 'agentserver'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { Pins } from '../../../src/server/dev/pins.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { pino } from 'pino'
import { connectClient } from '../../support/clients/mcp-client.ts'
import { TempProject } from '../../support/project/temp-project.ts'
import { listening } from '../../support/server/listening.ts'
import { TestServer } from '../../support/server/test-server.ts'

const ship = createWorkflow({ id: 'ship', name: 'Ship' })
  .andThen({ id: 'ask', execute: ({ data, resumeData, suspend }) => resumeData ?? suspend('how?', data) })
  .andThen({ id: 'send', execute: ({ data }) => ({ sent: data }) })
const fail = createWorkflow({ id: 'fail', name: 'Fail' }).andThen({
  id: 'throw',
  execute: (): null => {
    throw new Error('no stock')
  },
})
const helper = createAgent({ id: 'helper', name: 'Helper', instructions: 'Help', model: demoModel() })
const config = { workflows: [ship, fail], agents: [helper] }

const project = new TempProject()
afterAll(() => project.remove())
const pins = () =>
  new Pins({
    root: project.root,
    clock: systemClock,
    logger: pino({ enabled: false }),
    onReplayed: () => undefined,
  })

const KEY = 'a-console-key'
const verifyToken = (given: string) => (given === 'grace' ? { id: 'grace' } : null)

const PING = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const accept = { accept: 'application/json, text/event-stream' }

describe.each(['legacy', 'auto'] as const)('the MCP server for coding agents (%s)', (mode) => {
  const server = new TestServer(config, { root: project.root, pins: pins() })
  const at = listening(server)
  let client: Client
  beforeAll(async () => {
    client = await connectClient(at('/mcp/dev'), { mode })
  })
  afterAll(() => client.close())
  const call = async (name: string, input: Record<string, unknown> = {}) => {
    const { content, isError = false } = await client.callTool({ name, arguments: input })
    const { text } = content[0] as { text: string }
    return isError ? { isError, text } : { value: JSON.parse(text) }
  }

  it('says in its instructions where to start, and which tools change nothing', async () => {
    expect(client.getInstructions()).toContain('Start with `failures`')
    const { tools } = await client.listTools()
    const readOnly = tools.filter(({ annotations }) => annotations?.readOnlyHint === true)
    expect(readOnly.map(({ name }) => name)).not.toContain('run_workflow')
    expect(readOnly.map(({ name }) => name)).toContain('read_execution')
  })

  it('runs and resumes workflows, replays them and asks agents', async () => {
    const { value: started } = await call('run_workflow', { workflowId: 'ship', input: { to: 'Ada' } })
    expect(started).toMatchObject({ status: 'suspended' })
    const { executionId } = started
    const { value: resumed } = await call('resume', { executionId, resumeData: { by: 'post' } })
    expect(resumed).toMatchObject({ status: 'completed', result: { sent: { by: 'post' } } })
    const { value: again } = await call('replay', { executionId, stepId: 'send' })
    expect(again).toMatchObject({ status: 'completed', result: { sent: { by: 'post' } } })
    expect((await call('ask_agent', { agentId: 'helper', input: 'Hello' })).value).toMatchObject({
      text: expect.any(String),
    })
    expect((await call('read_trace', { id: executionId })).value.spans.length).toBeGreaterThan(2)
    expect((await call('check')).value).toEqual({ workflows: [] })
  })

  it('finds failures, and says at once what the step does with the code as it is', async () => {
    const failed = await call('run_workflow', { workflowId: 'fail', input: {} })
    expect(failed).toMatchObject({
      isError: true,
      text: expect.stringMatching(/execution [0-9a-f-]+: read_execution/),
    })
    const { value: found } = await call('failures')
    expect(found.executions[0]).toMatchObject({ workflowId: 'fail', error: { message: 'no stock' } })
    const { value: record } = await call('read_execution', { executionId: found.executions[0].id })
    expect(record).toMatchObject({ status: 'error', steps: [{ stepId: 'throw', status: 'error' }] })
    expect(record).not.toHaveProperty('events')
    expect(
      await call('rerun_on_save', { executionId: found.executions[0].id, timeoutSeconds: 1 }),
    ).toMatchObject({
      value: { outcome: 'no save yet' },
    })
  })

  it('answers what is wrong with a call, and unknown ids, as results that a model can read', async () => {
    expect(await call('list', { nope: 1 })).toMatchObject({
      isError: true,
      text: expect.stringContaining('nope'),
    })
    expect(await call('run_workflow', { input: 1 })).toMatchObject({
      isError: true,
      text: expect.stringContaining('workflowId'),
    })
    for (const tool of ['read_execution', 'rerun_on_save', 'keep_case', 'resume'])
      expect(await call(tool, { executionId: 'nope' })).toMatchObject({ isError: true })
    expect(await call('keep_case')).toMatchObject({
      isError: true,
      text: 'Pass executionId, or agentId and runId',
    })
    expect(await call('search', { q: 'status:nope' })).toMatchObject({ isError: true })
    await expect(client.callTool({ name: 'nope', arguments: {} })).rejects.toThrow('Tool not found: nope')
  })

  it('cuts long texts', async () => {
    const { value } = await call('run_workflow', { workflowId: 'ship', input: { text: 'x'.repeat(50_000) } })
    const read = await call('read_execution', { executionId: value.executionId })
    expect(read.value.input.text).toMatch(/x … \(46000 more characters\)$/)
  })
})

describe('the endpoint of the tools for coding agents', () => {
  it('exists under dev only', async () => {
    const server = new TestServer(config)
    const response = await server.request('/mcp/dev', { json: PING, headers: accept })
    expect(response.status).toBe(404)
    await server.close()
  })

  it('requires console access, and its tools what the requests require', async () => {
    vi.stubEnv('SERVICE_CONSOLE_ACCESS_KEY', KEY)
    const server = new TestServer(
      { ...config, authNext: { provider: { type: 'test', verifyToken } } },
      { root: project.root, pins: pins() },
    )
    const call = (name: string, input: object) => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: input },
    })
    const send = (headers: Record<string, string>, body: object = PING, path = '/mcp/dev') =>
      server.request(path, { json: body, headers: { ...accept, ...headers } })
    expect((await send({})).status).toBe(401)
    expect((await send({ authorization: 'Bearer grace' })).status).toBe(401)
    const key = { 'x-console-access-key': KEY }
    for (const answer of [
      send(key, call('failures', {})),
      send({}, call('failures', {}), `/mcp/dev?key=${KEY}`),
      send({ 'x-service-dev': 'true' }, call('run_workflow', { workflowId: 'ship', input: {} })),
    ])
      expect(await (await answer).text()).not.toContain('isError')
    // runs are of the user class, which the console key does not open
    const refused = await send(key, call('run_workflow', { workflowId: 'ship', input: {} }))
    expect(await refused.text()).toMatch(/"isError":true/)
    await server.close()
    vi.unstubAllEnvs()
  })

  it('refuses pages of other sites', async () => {
    const server = new TestServer(config, { root: project.root, pins: pins() })
    const headers = { ...accept, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    expect((await server.request('/mcp/dev', { json: PING, headers })).status).toBe(403)
    await server.close()
  })
})
