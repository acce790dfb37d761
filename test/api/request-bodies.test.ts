import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import type { ExecutionResult } from '../../src/contract/event.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const server = new TestServer()
afterAll(() => server.close())

const JSON_TYPE = { 'Content-Type': 'application/json' }
const EXECUTE = '/workflows/echo/execute'

const send = (
  body: NonNullable<RequestInit['body']>,
  headers: Readonly<Record<string, string>> = JSON_TYPE,
) => server.request(EXECUTE, { method: 'POST', body, headers })

const order = (body: object) => server.post('/workflows/order/execute', body)

async function resultOf(sent: Promise<Response>): Promise<unknown> {
  const { result } = await dataOf<ExecutionResult>(sent)
  return (result as { data: unknown }).data
}

describe('a request body', () => {
  it.each([
    ['{"input":', 'Invalid JSON: unexpected end'],
    ['{input: 1}', 'Invalid JSON: expected a property name in double quotes'],
    ['{"input":{}} x', 'Invalid JSON: unexpected text after the value'],
    ["{'input':{}}", 'Invalid JSON: expected a property name in double quotes'],
    ['{"input":NaN}', 'Invalid JSON: unexpected character N'],
  ])('that is not JSON is refused: %s', async (body, message) => {
    expect(await refusalOf(send(body), 400)).toBe(message)
  })

  it.each(['[]', '[{"input":{}}]', '"input"', '1', 'null', 'true'])(
    'must be an object, not %s',
    async (body) => {
      expect(await refusalOf(send(body), 400)).toBe('The body must be a JSON object')
    },
  )

  it('is required', async () => {
    expect(await refusalOf(server.request(EXECUTE, { method: 'POST' }), 400)).toBe('A JSON body is required')
    expect(await refusalOf(send(''), 400)).toBe('A JSON body is required')
    expect(
      await refusalOf(server.request(EXECUTE, { method: 'POST', headers: { 'Content-Length': '0' } }), 400),
    ).toBe('A JSON body is required')
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'text/json',
    'application/json; charset=latin1',
    'application/json, text/plain',
    '',
  ])('is refused with the content type "%s"', async (type) => {
    expect(await refusalOf(send('{"input":{}}', { 'Content-Type': type }), 415)).toContain('application/json')
  })

  it.each([
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/merge-patch+json',
  ])('is accepted with the content type "%s"', async (type) => {
    expect(await resultOf(send('{"input":{"a":1}}', { 'Content-Type': type }))).toEqual({ a: 1 })
  })

  it('is refused when it is compressed', async () => {
    const headers = { ...JSON_TYPE, 'Content-Encoding': 'gzip' }
    const gzipped = gzipSync('{"input":{}}')
    for (const body of [gzipped, '{"input":{}}'])
      expect(await refusalOf(send(body, headers), 415)).toContain('JSON')
    expect(await refusalOf(send(gzipped), 400)).toBe('The body is not valid UTF-8')
  })

  it('may start with a byte order mark', async () => {
    expect(await resultOf(send('\uFEFF{"input":{"a":1}}'))).toEqual({ a: 1 })
  })

  it('must be UTF-8', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"input":{"a":"'),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('"}}'),
    ])
    expect(await refusalOf(send(bytes), 400)).toBe('The body is not valid UTF-8')
  })

  it('keeps every character, also lone surrogates and NUL', async () => {
    const input = { text: 'a\u0000b \ud800 😀 \u2028', '': 1, ключ: 'ü' }
    expect(await resultOf(server.post(EXECUTE, { input }))).toEqual(input)
    const [listed] = await dataOf<{ input: unknown }[]>(server.request('/workflows/executions?limit=1'))
    expect(listed?.input).toEqual(input)
  })

  it('uses the last of two equal keys', async () => {
    expect(await resultOf(send('{"input":{"a":1,"a":2}}'))).toEqual({ a: 2 })
  })

  it.each([
    ['arrays', '['.repeat(20_000) + ']'.repeat(20_000)],
    ['objects', '{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000)],
    ['101 levels', '['.repeat(100) + ']'.repeat(100)],
  ])('nested too deeply is refused: %s', async (_, deep) => {
    expect(await refusalOf(send(`{"input":${deep}}`), 400)).toContain('nested deeper than 100 levels')
    await dataOf(server.request('/workflows/executions'))
  })

  it('may have 100 levels', async () => {
    const deep = '[{"a":'.repeat(49) + '1' + '}]'.repeat(49)
    expect(await resultOf(send(`{"input":{"deep":${deep}}}`))).toEqual({ deep: JSON.parse(deep) })
    await dataOf(server.request('/workflows/executions'))
  })

  it.each([
    '{"input":{"__proto__":{"admin":true}}}',
    '{"__proto__":{"input":{}}}',
    '{"input":{"\\u005f_proto__":1}}',
  ])('with the key __proto__ is refused: %s', async (body) => {
    expect(await refusalOf(send(body), 400)).toContain('__proto__')
    expect(Object.prototype).not.toHaveProperty('admin')
  })

  it('may have the keys constructor and prototype', async () => {
    const input = { constructor: { prototype: { admin: true } }, hasOwnProperty: 1, toString: 2 }
    expect(await resultOf(server.post(EXECUTE, { input }))).toEqual(input)
  })

  it('may have 4 MiB, and not a byte more', async () => {
    const limit = 4 * 1024 * 1024
    const frame = '{"input":{"a":""}}'
    const body = (bytes: number) => `{"input":{"a":"${'x'.repeat(bytes - frame.length)}"}}`
    const path = '/workflows/anything/execute'
    const post = (text: string, headers = {}) =>
      server.request(path, { method: 'POST', body: text, headers: { ...JSON_TYPE, ...headers } })
    const started = await post(body(limit), { prefer: 'respond-async' })
    expect(started.status).toBe(202)
    expect(await refusalOf(post(body(limit + 1)), 413)).toBe(`The body is larger than ${limit} bytes`)
    await refusalOf(post('{}', { 'Content-Length': String(limit + 1) }), 413)
  })

  it('without a length is read up to the limit only', async () => {
    let sent = 0
    const endless = new ReadableStream({
      pull: (controller) => {
        sent += 65_536
        controller.enqueue(new Uint8Array(65_536).fill(0x20))
      },
    })
    await refusalOf(server.request(EXECUTE, { method: 'POST', body: endless, headers: JSON_TYPE }), 413)
    expect(sent).toBeLessThan(5 * 1024 * 1024)
  })

  it('that ends early is a 400', async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) })
    expect(
      await refusalOf(server.request(EXECUTE, { method: 'POST', body: broken, headers: JSON_TYPE }), 400),
    ).toBe('The body could not be read')
    expect(server.logs).toEqual([])
  })

  it('may have 20 MiB for an agent, unless a limit is configured', async () => {
    const ask = (to: TestServer, bytes: number) => to.post('/agents/none/text', { input: 'x'.repeat(bytes) })
    await refusalOf(ask(server, 20 * 1024 * 1024 - 100), 404)
    expect(await refusalOf(ask(server, 20 * 1024 * 1024), 413)).toBe('The body is larger than 20971520 bytes')
    const small = new TestServer({ limits: { bodyBytes: 20 } })
    await refusalOf(ask(small, 20), 413)
    await small.close()
  })

  it('has the configured limit', async () => {
    const small = new TestServer({ limits: { bodyBytes: 20 } })
    expect(await refusalOf(small.post(EXECUTE, { input: { a: 'too long' } }), 413)).toBe(
      'The body is larger than 20 bytes',
    )
    await dataOf(small.post(EXECUTE, { input: {} }))
    await small.close()
  })
})

describe('the input of an execution', () => {
  it.each([
    [{}, 'input: Required'],
    [{ options: {} }, 'input: Required'],
    [{ input: { amount: 1 } }, 'Input validation failed: input.orderId: Required'],
    [{ input: {} }, 'Input validation failed: input.orderId: Required; input.amount: Required'],
    [
      { input: { orderId: 'a', amount: 1, lines: [{ qty: 1 }, {}] } },
      'Input validation failed: input.lines[1].qty: Required',
    ],
  ])('is refused with the missing field in %j', async (body, message) => {
    expect(await refusalOf(order(body), 400)).toBe(message)
  })

  it.each([
    [{ orderId: 1, amount: 1 }, /^Input validation failed: input\.orderId: .*string/],
    [{ orderId: 'a', amount: '1' }, /^Input validation failed: input\.amount: .*number/],
    [null, /^Input validation failed: input: /],
    ['order', /^Input validation failed: input: /],
    [[], /^Input validation failed: input: /],
  ])('is refused with the invalid field in %j', async (input, message) => {
    expect(await refusalOf(order({ input }), 400)).toMatch(message)
  })

  it('is not stored when it is invalid', async () => {
    const count = async () =>
      (await server.request('/workflows/executions?workflowId=order&limit=1')).headers.get('x-total-count')
    const before = await count()
    await refusalOf(order({ input: {} }), 400)
    await refusalOf(order({ input: { orderId: 'a', amount: 1 }, options: { userId: 1 } }), 400)
    expect(await count()).toBe(before)
  })

  it('has the defaults of the schema, also in the record', async () => {
    const { executionId, result } = await server.execute('order', { orderId: 'a', amount: 1, unknown: true })
    expect(result).toEqual({ orderId: 'a', currency: 'EUR', approved: false })
    const record = await server.record('order', executionId)
    expect(record.input).toEqual({ orderId: 'a', amount: 1, currency: 'EUR' })
  })

  it.each([null, 1, 'text', [1, 2], false])('may be %j when the schema allows it', async (input) => {
    expect((await server.execute('anything', input)).result).toEqual(input)
  })

  it.each([null, 1, 'text', [1, 2], false])('must be an object without a schema, not %j', async (input) => {
    expect(await refusalOf(server.post(EXECUTE, { input }), 400)).toContain('input: Expected an object')
  })
})

describe('the options of an execution', () => {
  it.each([
    [{ userId: 1 }, 'options.userId: '],
    [{ userId: 'x'.repeat(257) }, 'options.userId: '],
    [{ conversationId: {} }, 'options.conversationId: '],
    [{ context: [] }, 'options.context: '],
    [{ context: 'x' }, 'options.context: '],
    [{ executionId: 7 }, 'options.executionId: '],
    [{ executionId: '' }, 'options.executionId: Must be'],
    [{ executionId: '../../etc' }, 'options.executionId: Must be'],
    [{ executionId: 'a/b' }, 'options.executionId: Must be'],
    [{ executionId: 'a b' }, 'options.executionId: Must be'],
    [{ executionId: '__proto__' }, 'options.executionId: Must be'],
    [{ executionId: 'x'.repeat(129) }, 'options.executionId: Must be'],
    [{ executionId: 'a\n' }, 'options.executionId: Must be'],
    ['none', 'options: '],
    [null, 'options: '],
  ])('must be valid, unlike %j', async (options, message) => {
    expect(await refusalOf(server.post(EXECUTE, { input: {}, options }), 400)).toContain(message)
  })

  it('are passed to the steps and the record', async () => {
    const options = { userId: 'ada', conversationId: 'c1', executionId: 'my-own:1', context: { plan: 'pro' } }
    const answer = await server.execute('echo', { a: 1 }, options)
    expect(answer).toMatchObject({
      executionId: 'my-own:1',
      result: { context: { plan: 'pro' }, userId: 'ada' },
    })
    const { executionId: id, ...recorded } = options
    expect(await server.record('echo', 'my-own:1')).toMatchObject({ ...recorded, id })
  })

  it('are ignored when they are unknown', async () => {
    expect(await resultOf(server.post(EXECUTE, { input: {}, options: { more: 1 }, extra: true }))).toEqual({})
  })
})

describe('the ids in a path', () => {
  it.each(['__proto__', '%252e%252e', 'x'.repeat(200), 'a%2fb', 'a%00', '%zz', '%20', '-a', 'ü', 'a%0d%0ab'])(
    'can not be %s',
    async (id) => {
      expect(await refusalOf(server.request(`/workflows/${id}`), 400)).toContain('id: Must be')
      expect(await refusalOf(server.request(`/workflows/echo/executions/${id}/state`), 400)).toContain(
        'executionId: Must be',
      )
      expect(await refusalOf(server.post(`/workflows/${id}/execute`, { input: {} }), 400)).toContain(
        'id: Must be',
      )
    },
  )

  it.each(['constructor', 'toString', 'hasOwnProperty', 'x'.repeat(128)])(
    'may be %s, which does not exist',
    async (id) => {
      expect(await refusalOf(server.request(`/workflows/${id}`), 404)).toBe(`Workflow not found: ${id}`)
      expect(await refusalOf(server.post(`/workflows/${id}/execute`, { input: {} }), 404)).toBe(
        `Workflow not found: ${id}`,
      )
      await refusalOf(server.request(`/workflows/echo/executions/${id}`), 404)
    },
  )

  it('cannot traverse to other directories', async () => {
    expect(await refusalOf(server.request('/workflows/%2e%2e/nothing'), 404)).toContain('Route not found: ')
    for (const path of ['/ui/%2e%2e%2fpackage.json', '/ui/..%5cpackage.json'])
      expect(await refusalOf(server.request(path), 404)).toContain('File not found: ')
  })
})
