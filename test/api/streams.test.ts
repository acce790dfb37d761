import { afterAll, describe, expect, it, vi } from 'vitest'
import { messagesOf, readerOf, sseMessages } from '../support/server/event-stream.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'
import type { SseMessage } from '../support/server/event-stream.ts'

const server = new TestServer()
afterAll(() => server.close())

const LARGE = { orderId: 'a', amount: 500 }
const typesOf = (messages: readonly SseMessage[]) =>
  messages.map(({ event }) => ('from' in event ? `${event.type} ${event.from}` : event.type))

const stream = (workflow: string, input: unknown = {}, options = {}) =>
  server.post(`/workflows/${workflow}/stream`, { input, options })

const follow = (workflow: string, id: string, { query = '', headers = {} } = {}) =>
  server.request(`/workflows/${workflow}/executions/${id}/stream${query}`, { headers })

describe('POST …/stream', () => {
  it('sends the events in order, numbered from 1, and ends with the result', async () => {
    const messages = await messagesOf(
      stream('order', { orderId: 'a', amount: 1 }, { executionId: 'streamed' }),
    )
    expect(messages.map(({ id }) => id)).toEqual(messages.map((_, index) => index + 1))
    expect(typesOf(messages)).toEqual([
      'workflow-start',
      'step-start charge',
      'step-complete charge',
      'step-start big',
      'step-skipped big',
      'step-start audit',
      'custom audit',
      'step-complete audit',
      'workflow-complete',
      'workflow-result',
    ])
    for (const { event } of messages)
      expect(event).toMatchObject({
        executionId: 'streamed',
        timestamp: expect.stringMatching(/Z$/) as string,
      })
    const result = { orderId: 'a', currency: 'EUR', approved: false }
    expect(messages.at(-1)?.event).toMatchObject({
      status: 'completed',
      result,
      endAt: expect.any(String) as string,
    })
  })

  it('sends the data of each step', async () => {
    const messages = await messagesOf(stream('everything'))
    const of = (type: string, from: string) =>
      messages
        .map(({ event }) => event)
        .find((event) => event.type === type && 'from' in event && event.from === from)
    expect(of('step-start', 'both')).toMatchObject({
      stepIndex: 1,
      stepType: 'andAll',
      input: { attempt: 2 },
    })
    expect(of('step-complete', 'both')).toMatchObject({
      output: ['l', 'r'],
      durationMs: expect.any(Number) as number,
    })
    expect(of('step-error', 'flaky')).toMatchObject({
      attempt: 1,
      willRetry: true,
      error: { message: 'not yet' },
    })
    expect(of('step-complete', 'flaky')).toMatchObject({ attempt: 2 })
    expect(of('custom', 'flaky')).toMatchObject({ name: 'tried', data: { attempt: 2 } })
    expect(of('step-error', 'tap')).toMatchObject({ willRetry: false })
  })

  it('sends errors and their causes without stacks, which the route of the console has', async () => {
    const messages = await messagesOf(stream('broken', {}, { executionId: 'no-stack' }))
    expect(messages.at(-1)?.event).toMatchObject({
      error: { message: 'the password is hunter2', stepId: 'break' },
    })
    expect(JSON.stringify(messages)).not.toMatch(/"stack"|sample-workflows/)
    expect(await (await follow('broken', 'no-stack')).text()).not.toMatch(/"stack"|sample-workflows/)
    const observed = await server.request('/observability/executions/no-stack/stream')
    expect(await observed.text()).toMatch(/"stack":"[^"]*sample-workflows\.ts/)
  })

  it("sends a user's own data of the name stack", async () => {
    const messages = await messagesOf(stream('echo', { stack: 'books' }))
    expect(messages.at(-1)?.event).toMatchObject({ result: { data: { stack: 'books' } } })
  })

  it('sends the same events as the record', async () => {
    const messages = await messagesOf(stream('everything', {}, { executionId: 'compared' }))
    const { events } = await server.record('everything', 'compared')
    expect(events.map(({ id, type }) => `${id} ${type}`)).toEqual(
      messages.map(({ id, event }) => `${id} ${event.type}`),
    )
  })

  it('ends with a suspended result', async () => {
    const messages = await messagesOf(stream('order', LARGE))
    expect(typesOf(messages).slice(-2)).toEqual(['workflow-suspended', 'workflow-result'])
    expect(messages.at(-2)?.event).toMatchObject({
      reason: 'over limit',
      stepId: 'approve',
      stepIndex: 1,
      data: { amount: 500 },
      resumeSchema: { type: 'object', required: ['ok'] },
    })
    expect(messages.at(-1)?.event).toMatchObject({
      status: 'suspended',
      endAt: null,
      result: null,
      suspension: { stepId: 'approve' },
    })
  })

  it('ends with a failed result', async () => {
    const messages = await messagesOf(stream('broken'))
    expect(typesOf(messages).slice(-3)).toEqual(['step-error break', 'workflow-error', 'workflow-result'])
    expect(messages.at(-2)?.event).toMatchObject({ error: { stepId: 'break', name: 'Error' } })
    expect(messages.at(-1)?.event).toMatchObject({
      status: 'error',
      result: null,
      error: { stepId: 'break' },
    })
  })

  it('ends with a cancelled result', async () => {
    const response = await stream('hold', {}, { executionId: 'stream-cancelled' })
    await server.gate.arrival('stream-cancelled')
    await dataOf(server.post('/workflows/hold/executions/stream-cancelled/cancel', { reason: 'enough' }))
    const messages = await messagesOf(response)
    expect(messages.at(-2)?.event).toMatchObject({ type: 'workflow-cancelled', reason: 'enough' })
    expect(messages.at(-1)?.event).toMatchObject({
      type: 'workflow-result',
      status: 'cancelled',
      result: null,
    })
  })

  it('responds to an invalid request without a stream', async () => {
    expect(await refusalOf(stream('order', {}), 400)).toContain('input.orderId: Required')
    expect(await refusalOf(stream('nobody'), 404)).toContain('nobody')
  })

  it('does not stop the execution when the client disconnects', async () => {
    const reader = readerOf(await stream('hold', {}, { executionId: 'left' }))
    await reader.until(/step-start/)
    await reader.cancel()
    server.gate.open('left')
    await expect.poll(async () => (await server.record('hold', 'left')).status).toBe('completed')
  })

  it('has headers against caching and buffering', async () => {
    const { headers, body } = await stream('echo')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-accel-buffering')).toBe('no')
    await body?.cancel()
  })
})

describe('GET …/stream', () => {
  it('replays past events, and follows across a suspension until the end', async () => {
    const { executionId } = await server.execute('order', LARGE)
    const response = await follow('order', executionId)
    const reader = readerOf(response)
    expect(await reader.until(/"type":"workflow-result".*\n\n/)).toContain('"type":"workflow-suspended"')
    await dataOf(
      server.post(`/workflows/order/executions/${executionId}/resume`, { resumeData: { ok: true } }),
    )
    const messages = sseMessages(await reader.until(/"status":"completed".*\n\n/))
    expect(messages.map(({ id }) => id)).toEqual(messages.map((_, index) => index + 1))
    expect(typesOf(messages)).toEqual([
      'workflow-start',
      'step-start charge',
      'step-complete charge',
      'step-start big',
      'step-start approve',
      'workflow-suspended',
      'workflow-result',
      'workflow-resumed',
      'step-start approve',
      'step-complete approve',
      'step-complete big',
      'step-start audit',
      'custom audit',
      'step-complete audit',
      'workflow-complete',
      'workflow-result',
    ])
    expect(messages[7]?.event).toMatchObject({ stepId: 'approve', resumeData: { ok: true } })
    await expect(reader.until(/no more/)).rejects.toThrow('ended')
  })

  it.each([
    ['the header', () => ({ headers: { 'Last-Event-ID': '3' } }), 4],
    ['the query', () => ({ query: '?after=3' }), 4],
    ['the header, not the query', () => ({ query: '?after=1', headers: { 'Last-Event-ID': '3' } }), 4],
    ['nothing', () => ({}), 1],
    ['an invalid header', () => ({ headers: { 'Last-Event-ID': 'x' } }), 1],
    ['zero', () => ({ query: '?after=0' }), 1],
  ])('starts after %s', async (_, query, first) => {
    const { executionId } = await server.execute('echo')
    const messages = await messagesOf(follow('echo', executionId, query()))
    expect(messages.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5].slice(first - 1))
  })

  it('ends immediately when all events were received', async () => {
    const { executionId } = await server.execute('echo')
    expect(await messagesOf(follow('echo', executionId, { query: '?after=5' }))).toEqual([])
    expect(await messagesOf(follow('echo', executionId, { query: '?after=99999' }))).toEqual([])
  })

  it('sends every event once to each of many readers', async () => {
    const executionId = await server.startHeldExecution()
    const early = Array.from({ length: 20 }, (_, after) =>
      follow('hold', executionId, { query: `?after=${after % 4}` }),
    )
    const replies = await Promise.all(early)
    server.gate.open(executionId)
    const seen = await Promise.all(replies.map((reply) => messagesOf(reply)))
    seen.forEach((messages, index) =>
      expect(messages.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7].slice(index % 4)),
    )
  })

  it.each(['-1', 'x', '', '1.5'])('refuses ?after=%s', async (after) => {
    const { executionId } = await server.execute('echo')
    expect(await refusalOf(follow('echo', executionId, { query: `?after=${after}` }), 400)).toMatch(
      /^after: /,
    )
  })

  it('sends a comment every 15 seconds', async () => {
    const executionId = await server.startHeldExecution()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const reader = readerOf(await follow('hold', executionId, { query: '?after=2' }))
      const comments = reader.until(/(?:: .*\n\n){2}/)
      await vi.advanceTimersByTimeAsync(14_900)
      await vi.advanceTimersByTimeAsync(200)
      await vi.advanceTimersByTimeAsync(15_000)
      expect(await comments).toBe(': keep-alive\n\n: keep-alive\n\n')
      server.gate.open(executionId)
      expect(typesOf(sseMessages(await reader.until(/workflow-result.*\n\n/))).at(0)).toBe(
        'step-complete wait',
      )
    } finally {
      vi.useRealTimers()
    }
  })

  it('ends when the server stops', async () => {
    const stopping = new TestServer()
    const { executionId } = await dataOf<{ executionId: string }>(
      stopping.post('/workflows/ask/execute', { input: {} }),
    )
    const reader = readerOf(await stopping.request(`/workflows/ask/executions/${executionId}/stream`))
    await reader.until(/workflow-result/)
    await stopping.close()
    await expect(reader.until(/no more/)).rejects.toThrow('ended')
    expect(await refusalOf(stopping.request('/workflows'), 503)).toContain('shutting down')
    expect(await refusalOf(stopping.request('/readyz'), 503)).toBe('Not ready')
    expect(await (await stopping.request('/healthz')).text()).toBe('ok')
  })
})
