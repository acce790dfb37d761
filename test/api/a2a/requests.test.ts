import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { streamed } from '../../support/model/model-provider.ts'
import { A2aTestServer } from './a2a-test-server.ts'

const a2a = new A2aTestServer({ limits: { bodyBytes: 20_000 } })
beforeAll(async () => {
  await a2a.open()
  a2a.provider.script(streamed(['Yes']))
})
afterAll(() => a2a.close())

const call = (method: string, params: object | undefined) => ({ jsonrpc: '2.0', id: 7, method, params })
const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Hi' }] }
const send = (changed: object) => call('SendMessage', { message: { ...message, ...changed } })
const legacy = (changed: object) =>
  call('message/send', {
    message: { messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'Hi' }], ...changed },
  })

describe('an invalid body', () => {
  it.each([
    ['{', -32700, 'Invalid JSON'],
    ['{"jsonrpc":"2.0",}', -32700, 'Invalid JSON'],
    ['[]', -32600, 'Batch requests are not supported'],
    [JSON.stringify([call('GetTask', { id: 'x' })]), -32600, 'Batch requests are not supported'],
    ['"x"', -32600, 'must be a JSON object'],
    ['null', -32600, 'must be a JSON object'],
    ['7', -32600, 'must be a JSON object'],
  ])('is a JSON-RPC error: %s', async (body, code, expected) => {
    const answer = await a2a.rpc(body)
    expect(answer).toMatchObject({ status: 400, body: { jsonrpc: '2.0', id: null, error: { code } } })
    expect(answer.body.error?.message).toContain(expected)
  })

  it.each([
    [{ 'content-type': 'text/plain' }, '{}', 415],
    [{ 'content-type': 'application/json', 'content-encoding': 'gzip' }, '{}', 415],
    [{}, ' '.repeat(20_001), 413],
    [{ authorization: 'Basic x' }, '{}', 401],
  ])('that is rejected before the protocol is a plain error: %j', async (headers, body, status) => {
    const answer = await a2a.rpc(body, headers)
    expect(answer).toMatchObject({ status, body: { success: false } })
  })

  it('for an unknown agent is a plain error', async () => {
    const sent = a2a.server.post('/agents/nobody/a2a', send({}), { authorization: 'Bearer ada' })
    expect(await (await sent).json()).toEqual({ success: false, error: 'Agent not found: nobody' })
  })
})

describe('an invalid request', () => {
  it.each<readonly [request: object, code: number, expected: string]>([
    [{ ...call('GetTask', { id: 'x' }), jsonrpc: '1.0' }, -32600, 'jsonrpc: Must be "2.0"'],
    [{ jsonrpc: '2.0', id: 7 }, -32600, 'method: Required'],
    [{ ...call('GetTask', { id: 'x' }), method: 5 }, -32600, 'method: Required'],
    [call('Nothing', {}), -32601, 'A2A 1.0 has no method Nothing'],
    [call('tasks/nothing', {}), -32601, 'A2A 0.3 has no method tasks/nothing'],
    [call('constructor', {}), -32601, 'no method constructor'],
    [call('GetTask', undefined), -32602, 'params: Must be an object'],
    [call('GetTask', []), -32602, 'params: Must be an object'],
    [call('GetTask', {}), -32602, 'params.id: Required'],
    [call('GetTask', { id: 'unknown' }), -32001, 'Task not found: unknown'],
    [call('GetTask', { id: '../../etc' }), -32001, 'Task not found'],
    [call('GetTask', { id: '__proto__' }), -32001, 'Task not found'],
    [call('tasks/get', { id: 'unknown' }), -32001, 'Task not found: unknown'],
    [call('CancelTask', { id: 'unknown' }), -32001, 'Task not found'],
    [call('SubscribeToTask', { id: 'unknown' }), -32001, 'Task not found'],
    [call('tasks/resubscribe', { id: 'unknown' }), -32001, 'Task not found'],
    [call('SendMessage', {}), -32602, 'params.message: Required'],
    [call('SendStreamingMessage', {}), -32602, 'params.message: Required'],
    [call('message/send', {}), -32602, 'params.message: Required'],
    [send({ messageId: '' }), -32602, 'params.message.messageId'],
    [send({ messageId: undefined }), -32602, 'params.message.messageId: Required'],
    [send({ role: 'ROLE_AGENT' }), -32602, 'params.message.role: Must be "ROLE_USER"'],
    [send({ parts: [] }), -32602, 'params.message.parts'],
    [send({ parts: 'x' }), -32602, 'params.message.parts'],
    [send({ parts: [null] }), -32602, 'params.message.parts[0]'],
    [send({ parts: [{}] }), -32602, 'parts[0]: Must have one of text, raw, url and data'],
    [send({ parts: [{ raw: 5 }] }), -32602, 'params.message.parts[0].raw'],
    [send({ parts: [{ url: 'file:///etc/passwd', mediaType: 'text/plain' }] }), -32602, 'an http(s) URL'],
    [send({ parts: [{ url: 'https://example.com/a.png' }] }), -32602, 'parts[0].mediaType: Required'],
    [send({ contextId: 'x'.repeat(257) }), -32602, 'params.message.contextId'],
    [send({ taskId: 'unknown' }), -32001, 'Task not found: unknown'],
    [legacy({ role: 'agent' }), -32602, 'params.message.role: Must be "user"'],
    [legacy({ parts: [{ kind: 'file', file: { bytes: 5 } }] }), -32602, 'parts[0].file.bytes'],
    [legacy({ parts: [{ kind: 'film' }] }), -32602, ''],
    ...[
      ...[-1, 1.5, 'two', '-1', {}].map((historyLength) => call('GetTask', { id: 'unknown', historyLength })),
      call('tasks/get', { id: 'unknown', historyLength: -1 }),
      call('ListTasks', { historyLength: -1 }),
      call('SendMessage', { message, configuration: { historyLength: -1 } }),
      call('SendStreamingMessage', { message, configuration: { historyLength: -1 } }),
      call('message/send', { ...legacy({}).params, configuration: { historyLength: -1 } }),
    ].map((request) => [request, -32602, 'historyLength: Must be a whole number, 0 or more'] as const),
    [call('ListTasks', { status: 'DONE' }), -32602, 'params.status'],
    [call('ListTasks', { statusTimestampAfter: 'soon' }), -32602, 'params.statusTimestampAfter'],
    [call('CreateTaskPushNotificationConfig', { taskId: 'x', url: 'https://x' }), -32003, ''],
    [call('GetExtendedAgentCard', undefined), -32004, 'no extended card'],
  ])('is an error that names the problem: %j', async (request, code, expected) => {
    const { status, body } = await a2a.rpc(request)
    expect({ status, ...body }).toMatchObject({ status: 200, jsonrpc: '2.0', id: 7, error: { code } })
    expect(body.error?.message).toContain(expected)
    expect(body.error?.message).not.toMatch(/\bat \S+ \(|TypeError|undefined/)
  })

  it('with an invalid id is answered with the id null', async () => {
    const { body } = await a2a.rpc({ ...send({}), id: {} })
    expect(body).toMatchObject({
      id: null,
      error: { code: -32600, message: expect.stringContaining('id: Must be') as string },
    })
  })
})

describe('the version of a request', () => {
  it.each([
    ['1.0', send({}), true],
    ['1', send({}), true],
    ['1.0.0', send({}), true],
    ['0.3', legacy({}), true],
    ['0.3.0', legacy({}), true],
    ['1.0', legacy({}), -32601],
    ['0.3', send({}), -32601],
    ['2.0', send({}), -32009],
    ['0.2', legacy({}), -32009],
    ['x', send({}), -32009],
  ])('is read from the header: %s', async (version, request, expected) => {
    const { body } = await a2a.rpc(request, { 'a2a-version': version })
    expect(body.error?.code ?? body.result !== undefined).toBe(expected)
  })

  it('is inferred from the method when the header is missing', async () => {
    for (const request of [send({}), legacy({})]) expect((await a2a.rpc(request)).body.error).toBeUndefined()
  })
})
