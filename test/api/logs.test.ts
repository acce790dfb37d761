import { connectMcpServer, createTool, createWorkflow, jwtAuth } from 'agentserver'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { LogRecord } from '../../src/contract/endpoints/log.ts'
import { spansOf } from '../support/telemetry/span-tree.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const talk = createWorkflow({ id: 'talk' }).andThen({
  id: 'say',
  execute: ({ logger, data }) => {
    const { text = 'hello', level = 'info', ...fields } = data as Record<string, string>
    logger[level as 'info'](fields, text)
    return {}
  },
})
const talkative = createWorkflow({ id: 'talkative' }).andThen({
  id: 'count',
  execute: ({ logger }) => {
    for (let n = 0; n < 250; n++) logger.info({ n }, `number ${n}`)
    return {}
  },
})
const fail = createWorkflow({ id: 'fail' }).andThen({
  id: 'break',
  execute: () => {
    throw new RangeError('too far with Bearer abc.def-1', { cause: new Error('deeper') })
  },
})
const shout = createTool({
  name: 'shout',
  description: 'Shouts',
  inputSchema: z.object({}),
  execute: (_, { logger }) => {
    logger.info({ apiKey: 'abc' }, 'SHOUT')
    return {}
  },
})

it('the credentials in the configuration are redacted from the log', async () => {
  const server = new TestServer({
    workflows: [talk],
    authNext: { provider: jwtAuth({ secret: 'correct-horse-battery-staple-1234' }) },
    mcpServers: [
      connectMcpServer({
        id: 'far',
        url: 'http://127.0.0.1:1/',
        headers: { authorization: 'Bearer far-away-9876', 'x-team': 'blue-whales-2' },
      }),
      connectMcpServer({
        id: 'near',
        command: 'nowhere',
        env: { NEAR_API_KEY: 'near-by-5432', HOME: '/home/x' },
      }),
    ],
  })
  const text = 'correct-horse-battery-staple-1234 far-away-9876 blue-whales-2 near-by-5432 /home/x'
  const headers = { 'x-service-dev': 'true' }
  await server.request('/workflows/talk/execute', { json: { input: { text } }, headers })
  const [record] = await dataOf<LogRecord[]>(server.request('/api/logs?workflowId=talk', { headers }))
  expect(record?.message).toBe('[redacted] [redacted] blue-whales-2 [redacted] /home/x')
  await server.close()
})

describe('the log', () => {
  let server: TestServer
  beforeEach(() => {
    server = new TestServer({ workflows: [talk, talkative, fail], tools: [shout] })
  })
  afterEach(() => server.close())
  const logs = (query = '', path = '/api/logs') => dataOf<LogRecord[]>(server.request(`${path}${query}`))
  const messages = async (query = '', path?: string) =>
    (await logs(query, path)).map(({ message }) => message)

  it('links the error of a request to its trace', async () => {
    const own = new TestServer({
      configureApp: (app) => {
        app.post('/own', () => {
          throw new Error('no good')
        })
      },
      workflows: [fail],
    })
    const traceId = 'ab'.repeat(16)
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` }
    await own.post('/own', {}, headers)
    await own.post('/workflows/fail/execute', { input: {} }, headers)
    const records = await dataOf<LogRecord[]>(own.request(`/observability/traces/${traceId}/logs`))
    expect(records.map(({ message }) => message)).toEqual([
      'Workflow execution failed',
      'Execution failed',
      'Internal server error',
    ])
    const spans = await spansOf(own, traceId)
    const ofRequests = spans.filter(({ kind }) => kind === 'server').map(({ spanId }) => spanId)
    expect([records[2]?.spanId, records[0]?.spanId]).toEqual(ofRequests)
    await own.close()
  })

  it('contains records of steps, with execution, workflow, step and trace', async () => {
    const { executionId } = await server.execute('talk', { text: 'hi', order: 'A-7' })
    const [record] = await logs()
    expect(record).toEqual({
      id: expect.stringMatching(/^\d{15,16}$/),
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      level: 'info',
      message: 'hi',
      attributes: { workflowId: 'talk', stepId: 'say', order: 'A-7' },
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      spanId: record?.spanId,
      executionId,
    })
    expect(await messages('', `/observability/traces/${record?.traceId}/logs`)).toEqual(['hi'])
    expect(await messages('?q=other', `/observability/traces/${record?.traceId}/logs`)).toEqual([])
  })

  it('contains records of tools, without secrets', async () => {
    await server.post('/tools/shout/execute', { input: {} })
    const record = (await logs()).find(({ message }) => message === 'SHOUT')
    expect(record?.attributes).toMatchObject({ toolName: 'shout', apiKey: '[redacted]' })
  })

  it('filters by each field', async () => {
    const { executionId } = await server.execute('talk', { text: 'quiet', level: 'debug' })
    const warned = await server.execute('talk', { text: 'Careful now', level: 'warn', orderId: 'B-8' })
    const { executionId: failed } = await server.execute('talk', { text: 'broken', level: 'error' })
    expect(await messages(`?executionId=${executionId}`)).toEqual([])
    expect(await messages('?level=warn')).toEqual(['broken', 'Careful now'])
    expect(await messages('?level=error')).toEqual(['broken'])
    expect(await messages(`?executionId=${failed}`)).toEqual(['broken'])
    expect(await messages('?workflowId=talk')).toEqual(['broken', 'Careful now'])
    expect(await messages('?workflowId=fail')).toEqual([])
    expect(await messages('?agentId=nobody')).toEqual([])
    expect(await messages('?q=careful%20b-8')).toEqual(['Careful now'])
    expect(await messages('?q=careful%20b-9')).toEqual([])
    const [newest] = await logs()
    expect(await messages(`?traceId=${newest?.traceId}`)).toEqual(['broken'])
    expect(await messages(`?spanId=${'f'.repeat(16)}`)).toEqual([])
    expect(await messages('?since=2100-01-01T00:00:00Z')).toEqual([])
    expect(await messages('?until=2020-01-01T00:00:00Z')).toEqual([])
    expect(await messages('?since=2020-01-01&until=2100-01-01&limit=1')).toEqual(['broken'])
    expect(warned.status).toBe('completed')
  })

  it('separates system records from records of a trace', async () => {
    const { requestId } = await failing()
    await server.execute('talk', { text: 'traced' })
    expect(await messages('', '/observability/logs')).toContain('traced')
    expect((await logs()).some(({ attributes }) => attributes['requestId'] === requestId)).toBe(true)
    expect((await logs('', '/observability/logs')).every(({ traceId }) => traceId !== null)).toBe(true)
  })

  const failing = async () => {
    const response = await server.post('/workflows/fail/execute', { input: {} })
    expect(response.status).toBe(500)
    return {
      requestId: response.headers.get('x-request-id'),
      executionId: response.headers.get('x-execution-id'),
    }
  }

  it('reports a failed execution with its step, and the error with stack and cause, without secrets', async () => {
    const { executionId } = await failing()
    const [record] = await logs(`?executionId=${executionId}&level=error`)
    expect(record).toMatchObject({
      level: 'error',
      attributes: {
        workflowId: 'fail',
        stepId: 'break',
        err: {
          type: 'RangeError',
          message: 'too far with Bearer [redacted]',
          stack: expect.stringMatching(/at .*test\/api\/logs\.test\.ts:\d+/),
          cause: { message: 'deeper' },
        },
      },
    })
    expect(JSON.stringify(await logs())).not.toMatch(/abc\.def|"\/work|file:\/\//)
    expect(JSON.stringify(await logs())).not.toContain(process.cwd())
  })

  it('pages without gaps or duplicates while new records arrive', async () => {
    await server.execute('talkative')
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const from: string = cursor === '' ? '' : `&cursor=${cursor}`
      const response = await server.request(`/api/logs?limit=60&q=number${from}`)
      cursor = response.headers.get('x-next-cursor')
      seen.push(...(await dataOf<LogRecord[]>(response)).map(({ message }) => message))
      await server.execute('talk', { text: 'number of another kind' })
    }
    expect(seen).toEqual(Array.from({ length: 250 }, (_, n) => `number ${249 - n}`))
  })

  it('returns 100 records by default, at most 1,000', async () => {
    await server.execute('talkative')
    expect(await logs()).toHaveLength(100)
    expect((await logs('?limit=1000')).length).toBeGreaterThanOrEqual(250)
  })

  it.each([
    ['level=loud', 'level'],
    ['level=', 'level'],
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=ten', 'limit'],
    ['since=yesterday', 'since'],
    ['until=2026-02-30', 'until'],
    ['traceId=x', 'traceId'],
    ['spanId=x', 'spanId'],
    ['executionId=%20', 'executionId'],
    ['workflowId=..%2f', 'workflowId'],
    ['agentId=%00', 'agentId'],
    ['q=', 'q'],
    ['q=%20', 'q'],
    ['q=number%00', 'q'],
    ['cursor=x', 'cursor'],
  ])('refuses ?%s, naming the field', async (query, field) => {
    for (const path of ['/api/logs', '/observability/logs'])
      expect(await refusalOf(server.request(`${path}?${query}`), 400)).toMatch(new RegExp(`^${field}: `))
  })

  it('is counted in the status', async () => {
    await server.execute('talkative')
    const { logCount } = await dataOf<{ logCount: number }>(server.request('/observability/status'))
    expect((await logs('?limit=1000')).length).toBe(logCount)
    expect(logCount).toBeGreaterThanOrEqual(250)
  })
})
