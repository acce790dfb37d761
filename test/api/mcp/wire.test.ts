import { createMcpServer } from 'agentserver'
import { describe, expect, it } from 'vitest'
import { add, broken } from '../../support/server/sample-tools.ts'
import { refusalOf } from '../../support/server/responses.ts'
import { TestServer } from '../../support/server/test-server.ts'
import { listening } from '../../support/server/listening.ts'

const shop = createMcpServer({ id: 'shop', name: 'Shop', version: '2.0.0', tools: [add, broken] })
const server = new TestServer({ workflows: [], mcpServers: [shop] })
const at = listening(server)

type Headers = Readonly<Record<string, string>>

const send = (message: object, headers: Headers = {}) =>
  fetch(at('/mcp/shop'), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  })

/** The message of a response, which is JSON or a stream with one event. */
async function messageOf(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text()
  const isStream = response.headers.get('content-type') === 'text/event-stream'
  const [, json = ''] = isStream ? (/^event: message\ndata: (.*)\n\n$/.exec(text) ?? []) : ['', text]
  return JSON.parse(json) as Record<string, unknown>
}

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** Sends a request of each revision. */
const REVISIONS: Readonly<Record<string, (method: string, params?: object) => Promise<Response>>> = {
  '2025-06-18': (method, params = {}) =>
    send({ id: 7, method, params }, { 'mcp-protocol-version': '2025-06-18' }),
  '2025-11-25': (method, params = {}) =>
    send({ id: 7, method, params }, { 'mcp-protocol-version': '2025-11-25' }),
  '2026-07-28': (method, params: { name?: string } = {}) =>
    send(
      { id: 7, method, params: { ...params, _meta: ENVELOPE } },
      {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(params.name !== undefined && { 'mcp-name': params.name }),
      },
    ),
}

describe.each(Object.entries(REVISIONS))('on the wire of %s', (_, ask) => {
  it('tools are listed', async () => {
    const response = await ask('tools/list')
    expect(response.status).toBe(200)
    expect(await messageOf(response)).toMatchObject({
      jsonrpc: '2.0',
      id: 7,
      result: { tools: [{ name: 'add', inputSchema: { type: 'object' } }, { name: 'broken' }] },
    })
  })

  it('a tool is called', async () => {
    const response = await ask('tools/call', { name: 'add', arguments: { a: 1, b: 2 } })
    expect(await messageOf(response)).toMatchObject({
      id: 7,
      result: { content: [{ type: 'text', text: '{"sum":3}' }], structuredContent: { sum: 3 } },
    })
  })

  it.each([
    ['add', { a: 'one' }, 'input.a: Invalid input: expected number, received string'],
    ['broken', {}, 'Tool "broken" failed'],
  ])('a failed call of %s is a result with isError', async (name, input, text) => {
    const { result } = await messageOf(await ask('tools/call', { name, arguments: input }))
    expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text }] })
  })

  it.each([
    ['tools/call', { name: 'subtract' }, -32602, 'Tool not found: subtract'],
    ['tools/call', {}, -32602, 'Invalid'],
    ['resources/list', {}, -32601, 'Method not found'],
    ['no/such', {}, -32601, 'Method not found'],
  ])('%s %j is a protocol error', async (method, params, code, message) => {
    const { id, error } = await messageOf(await ask(method, params))
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) as string })
    expect(id).toBe(7)
  })
})

describe('a client on revision 2025-xx', () => {
  const hello = (protocolVersion: string) =>
    send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    })

  it.each(['2025-03-26', '2025-06-18', '2025-11-25'])('begins with a handshake: %s', async (version) => {
    const response = await hello(version)
    expect(response.headers.get('mcp-session-id')).toMatch(/^[\da-f]{32}$/)
    expect(await messageOf(response)).toMatchObject({
      result: {
        protocolVersion: version,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'Shop', version: '2.0.0' },
      },
    })
    const started = await send({ method: 'notifications/initialized' })
    expect([started.status, await started.text()]).toEqual([202, ''])
  })

  it('receives a session of its own, and a revision that both support', async () => {
    const [one, other] = [await hello('2024-01-01'), await hello('2024-01-01')]
    expect(one.headers.get('mcp-session-id')).not.toBe(other.headers.get('mcp-session-id'))
    expect(await messageOf(one)).toMatchObject({ result: { protocolVersion: '2025-11-25' } })
    await other.text()
  })

  it('is refused with an unknown revision', async () => {
    const response = await send({ id: 1, method: 'ping' }, { 'mcp-protocol-version': '1999-01-01' })
    expect(response.status).toBe(400)
    expect(JSON.stringify(await messageOf(response))).toContain('1999-01-01')
  })
})

describe('a client on revision 2026-xx', () => {
  it('discovers the server without a handshake, and receives no session', async () => {
    const response = await send(
      { id: 1, method: 'server/discover', params: { _meta: ENVELOPE } },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' },
    )
    expect(response.headers.get('mcp-session-id')).toBeNull()
    expect(await messageOf(response)).toMatchObject({
      result: { supportedVersions: ['2026-07-28'], capabilities: { tools: { listChanged: true } } },
    })
  })

  it('is refused when its headers contradict its body', async () => {
    const response = await send(
      { id: 1, method: 'tools/list', params: { _meta: ENVELOPE } },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' },
    )
    expect(response.status).toBe(400)
    expect(await messageOf(response)).toMatchObject({ id: 1, error: { code: -32020 } })
  })

  it('receives the supported revisions when its own is unknown', async () => {
    const _meta = { ...ENVELOPE, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }
    const response = await send(
      { id: 1, method: 'tools/list', params: { _meta } },
      { 'mcp-protocol-version': '2099-01-01', 'mcp-method': 'tools/list' },
    )
    expect(response.status).toBe(400)
    expect(await messageOf(response)).toMatchObject({
      error: { code: -32022, data: { supported: ['2026-07-28'] } },
    })
  })
})

describe('other methods', () => {
  it('GET is a stream of changes, only for programs and pages of the same origin', async () => {
    const response = await fetch(at('/mcp/shop'), { headers: { accept: 'text/event-stream' } })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    await response.body?.cancel()
    const foreign = { headers: { origin: 'https://evil.example' } }
    expect(await refusalOf(fetch(at('/mcp/shop'), foreign), 403)).toContain('origins')
  })

  it('DELETE is not supported: sessions expire', async () => {
    const response = await fetch(at('/mcp/shop'), { method: 'DELETE', headers: { 'mcp-session-id': 'x' } })
    expect(response.headers.get('allow')).toBe('POST, GET, HEAD')
    await refusalOf(response, 405)
  })

  it('require a token when auth is configured', async () => {
    const provider = { type: 'test', verifyToken: () => null }
    const closed = new TestServer({ workflows: [], mcpServers: [shop], authNext: { provider } })
    for (const method of ['GET', 'POST', 'DELETE']) {
      const refusal = refusalOf(
        closed.request('/mcp/shop', { method, headers: { authorization: 'Bearer x' } }),
        401,
      )
      expect(await refusal).toContain('token')
    }
    await closed.close()
  })
})
