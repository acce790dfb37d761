import { afterAll, afterEach, describe, expect, it } from 'vitest'
import type { ExecutionRecord } from '../../src/contract/endpoints/execution.ts'
import { SocketReader } from '../support/clients/socket-reader.ts'
import type { Message } from '../support/clients/socket-reader.ts'
import { TempProject } from '../support/project/temp-project.ts'
import { dataOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const project = new TempProject()
const servers: TestServer[] = []
const readers: SocketReader[] = []
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close()
  await Promise.all(servers.splice(0).map((server) => server.close()))
})
afterAll(() => project.remove())

async function serve(database = ':memory:') {
  const server = new TestServer({ database }, { root: project.root })
  servers.push(server)
  const { url } = await server.listen()
  const reader = async () => {
    const made = await SocketReader.open(url)
    readers.push(made)
    return made
  }
  return { server, reader, url }
}

/** Another server on the same database. */
async function restart(server: TestServer, database: string) {
  servers.splice(servers.indexOf(server), 1)
  await server.close()
  return serve(database)
}

const isRecord = (frame: Message) => frame['data'] as ExecutionRecord
const describeFrames = (frames: readonly Message[]) =>
  frames.map((frame) => `${frame['seq'] as number} ${frame['type'] as string} ${isRecord(frame).status}`)

describe('the topic executions', () => {
  it('sends each new or changed execution as listed', async () => {
    const { server, reader } = await serve()
    const live = await reader()
    live.subscribe('executions')
    await live.settled()
    const { executionId } = await server.execute('order', { orderId: 'A-1', amount: 400 })
    await server.post(`/workflows/order/executions/${executionId}/resume`, { resumeData: { ok: true } })
    const frames = await live.received(4)
    expect(describeFrames(frames)).toEqual([
      '1 execution:created running',
      '2 execution:updated suspended',
      '3 execution:updated running',
      '4 execution:updated completed',
    ])
    const [item] = await dataOf<ExecutionRecord[]>(server.request('/workflows/executions'))
    expect(isRecord(frames[3] ?? {})).toEqual(item)
    expect(isRecord(frames[1] ?? {}).suspension).toMatchObject({ reason: 'over limit', stepId: 'approve' })
    for (const frame of frames) {
      expect(frame).toMatchObject({ v: 1, topic: 'executions' })
      expect(Math.abs(Date.now() - (frame['ts'] as number))).toBeLessThan(60_000)
    }
  })

  it('replays the same frames after a restart, from any number on, and continues the numbers', async () => {
    const database = 'file:restart.db'
    const first = await serve(database)
    const live = await first.reader()
    live.subscribe('executions', 0)
    await first.server.execute('order', { orderId: 'A-1', amount: 400 })
    await first.server.post('/workflows/broken/execute', { input: {} })
    const before = [...(await live.received(4))]
    const { server, reader } = await restart(first.server, database)
    const all = await reader()
    all.subscribe('executions', 0)
    expect(await all.received(4)).toEqual(before)
    const later = await reader()
    later.subscribe('executions', 3)
    const now = await reader()
    now.subscribe('executions')
    await now.settled()
    await server.execute('echo')
    expect(describeFrames(await later.received(3))).toEqual([
      '4 execution:updated error',
      '5 execution:created running',
      '6 execution:updated completed',
    ])
    expect(describeFrames(await now.received(2)).map((text) => text[0])).toEqual(['5', '6'])
  })

  it('sends a gap for a number above the newest frame, and continues from there', async () => {
    const { server, reader } = await serve()
    await server.execute('echo')
    const live = await reader()
    live.subscribe('executions', 70)
    await live.settled()
    await server.execute('echo')
    const [gap, next] = await live.received(2)
    expect(gap).toEqual({ type: 'gap', topic: 'executions', from: 3 })
    expect(next).toMatchObject({ seq: 3, type: 'execution:created' })
  })

  it('is the same for all readers, and ends with unsubscribe', async () => {
    const { server, reader } = await serve()
    const many = await Promise.all(Array.from({ length: 20 }, () => reader()))
    for (const one of many) one.subscribe('executions', 0)
    const [left] = many
    left?.subscribe('executions', 0)
    for (let n = 0; n < 10; n++) await server.execute('echo')
    const [first, ...others] = await Promise.all(many.map((one) => one.received(20)))
    for (const frames of others) expect(frames).toEqual(first)
    expect(first?.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
    left?.send({ type: 'unsubscribe', topics: [{ topic: 'executions' }] })
    await left?.settled()
    await server.execute('echo')
    await many[1]?.received(22)
    await left?.settled()
    expect(left?.news).toHaveLength(20)
  })
})

describe('the topic of one execution', () => {
  it('sends past and new events with their sequence numbers', async () => {
    const { server, reader } = await serve()
    const id = await server.startHeldExecution()
    const live = await reader()
    live.subscribe(`execution:${id}`, 0)
    await live.received(2)
    server.gate.open(id)
    const frames = await live.received(7)
    const events = await dataOf<unknown>(server.request(`/workflows/hold/executions/${id}`))
    expect(events).toMatchObject({ status: 'completed' })
    expect(frames.map(({ seq, type }) => `${seq as number} ${type as string}`)).toEqual([
      '1 workflow-start',
      '2 step-start',
      '3 step-complete',
      '4 step-start',
      '5 step-complete',
      '6 workflow-complete',
      '7 workflow-result',
    ])
    const stream = await (await server.request(`/workflows/hold/executions/${id}/stream`)).text()
    const sent = stream.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []))
    expect(frames.map(({ data }) => data)).toEqual(sent.map((line) => JSON.parse(line) as unknown))
    expect(frames.every(({ topic, v }) => topic === `execution:${id}` && v === 1)).toBe(true)
  })

  it('can be subscribed to before the execution exists, and after a restart', async () => {
    const database = 'file:one.db'
    const first = await serve(database)
    const early = await first.reader()
    early.subscribe('execution:mine', 0)
    await early.settled()
    await first.server.execute('echo', {}, { executionId: 'mine' })
    const before = [...(await early.received(5))]
    const { reader } = await restart(first.server, database)
    const late = await reader()
    late.subscribe('execution:mine', 3)
    expect(await late.received(2)).toEqual(before.slice(3))
  })

  it('without a number sends new events only', async () => {
    const { server, reader } = await serve()
    const id = await server.startHeldExecution()
    const live = await reader()
    live.subscribe(`execution:${id}`)
    await live.settled()
    server.gate.open(id)
    expect((await live.received(5))[0]).toMatchObject({ seq: 3 })
  })
})

describe('a reader', () => {
  it('that stops reading misses nothing when it continues, and costs no memory meanwhile', async () => {
    const { server, reader } = await serve()
    const live = await reader()
    live.subscribe('executions')
    await live.settled()
    live.socket.pause()
    const input = { text: 'x'.repeat(500_000) }
    const memoryBefore = process.memoryUsage().external
    for (let n = 0; n < 20; n++) await server.execute('echo', input)
    const held = (process.memoryUsage().external - memoryBefore) / 1e6
    // 20 executions are 40 frames of 1.3 MB on average
    expect(held).toBeLessThan(20)
    expect(live.news.length).toBeLessThan(30)
    live.socket.resume()
    const frames = await live.received(40)
    expect(frames.map(({ seq }) => seq)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1))
  })

  it('that sends requests but does not receive is paused', async () => {
    const { server, reader, url } = await serve()
    const flood = await reader()
    flood.socket.pause()
    const question = JSON.stringify({ type: 'subscribe', topics: [{ topic: 'x'.repeat(250) }] })
    for (let n = 0; n < 20_000; n++) flood.socket.send(question)
    await expect.poll(() => flood.socket.bufferedAmount).toBeGreaterThan(100_000)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    flood.socket.resume()
    await expect.poll(() => flood.news.length).toBe(20_000)
    expect(server.logs).toEqual([])
  })

  it.each([
    ['not json', 'Invalid JSON'],
    ['[]', 'message: '],
    ['{"type":"subscribe"}', 'message.topics: '],
    ['{"type":"dance","topics":[]}', 'message.type: '],
    ['{"type":"subscribe","topics":[{"topic":"config","after":-1}]}', 'message.topics[0].after: '],
    ['{"type":"subscribe","topics":[{"topic":"config","after":"1"}]}', 'message.topics[0].after: '],
    ['{"type":"subscribe","topics":[{"topic":"nonsense"}]}', 'Unknown topic "nonsense"'],
    ['{"type":"subscribe","topics":[{"topic":"execution:"}]}', 'Unknown topic "execution:"'],
    ['{"type":"subscribe","topics":[{"topic":"execution:a/b"}]}', 'Unknown topic "execution:a/b"'],
    ['{"type":"subscribe","topics":[{"topic":"__proto__"}]}', 'Unknown topic "__proto__"'],
  ])('that sends %s gets the error, and stays connected', async (text, problem) => {
    const { reader } = await serve()
    const live = await reader()
    live.socket.send(text)
    const [refusal] = await live.received(1)
    expect(refusal).toEqual({ type: 'error', error: expect.stringContaining(problem) as string })
    await live.settled()
  })

  it('gets valid topics, also when others in its request are unknown', async () => {
    const { server, reader } = await serve()
    await server.execute('echo')
    const live = await reader()
    live.send({
      type: 'subscribe',
      topics: [{ topic: 'nonsense' }, { topic: 'executions', after: 1 }],
    })
    const messages = await live.received(2)
    expect(messages.map(({ type }) => type)).toEqual(['error', 'execution:updated'])
  })

  it('has 200 subscriptions at most', async () => {
    const { reader } = await serve()
    const live = await reader()
    const topics = (from: number) =>
      Array.from({ length: 100 }, (_, index) => ({ topic: `execution:e${from + index}` }))
    for (const from of [0, 100]) live.send({ type: 'subscribe', topics: topics(from) })
    live.subscribe('executions')
    const [refusal] = await live.received(1)
    expect(refusal?.['error']).toBe('Too many subscriptions: the maximum is 200')
    live.send({ type: 'unsubscribe', topics: topics(0) })
    live.subscribe('executions')
    await live.settled()
    expect(live.news).toHaveLength(1)
  })
})
