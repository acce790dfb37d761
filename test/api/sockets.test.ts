import { connect } from 'node:net'
import { createClient } from 'agentserver/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rawRequest } from '../support/clients/raw-request.ts'
import { dataOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const server = new TestServer()
let port = 0
let url = ''
beforeAll(async () => {
  ;({ port, url } = await server.listen())
})
afterAll(() => server.close())

const CLOSE = 'Connection: close\r\n'

/** Parses a raw response. */
function read(answer: string): { status: number; body: string; head: string } {
  const [head = '', body = ''] = answer.split('\r\n\r\n', 2)
  return { status: Number(/^HTTP\/1\.1 (\d+) /.exec(head)?.[1] ?? 0), head, body }
}

/** The status of a raw refusal, whose body must be the envelope. */
function refusal(answer: string): number {
  const { status, head, body } = read(answer)
  expect(head).toMatch(/^content-type: application\/json\r?$/im)
  expect(head).toMatch(/^x-request-id: [0-9a-f-]{36}\r?$/im)
  const json = /\{.*\}/s.exec(body)?.[0] ?? body
  expect(JSON.parse(json)).toEqual({ success: false, error: expect.stringMatching(/\S/) as string })
  return status
}

async function stillAnswers(): Promise<void> {
  const response = await fetch(`${url}/healthz`)
  expect(await response.text()).toBe('ok')
}

describe('a server on a port', () => {
  it('serves the same as without a port', async () => {
    const client = createClient({ baseUrl: url })
    const { executionId } = await client.api.executeWorkflow({
      params: { id: 'echo' },
      body: { input: { a: 1 } },
    })
    const events = []
    for await (const event of client.api.followExecution({ params: { id: 'echo', executionId } }))
      events.push(event.type)
    expect(events.at(-1)).toBe('workflow-result')
    const head = await fetch(`${url}/doc`, { method: 'HEAD' })
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
  })

  it.each([
    ['two hosts', `Host: localhost\r\nHost: evil.com\r\n`],
    ['one host twice', `Host: localhost\r\nHost: localhost\r\n`],
    ['an empty host', `Host:\r\n`],
    ['no host', ''],
    ['an invalid host', `Host: a b\r\n`],
    ['a host with a path', `Host: localhost/x\r\n`],
  ])('refuses a request with %s', async (_, headers) => {
    expect(refusal(await rawRequest(port, `GET /workflows HTTP/1.1\r\n${headers}${CLOSE}\r\n`))).toBe(400)
    await stillAnswers()
  })

  it('requires that a target in absolute form has the same host', async () => {
    const ask = (target: string, host: string) =>
      rawRequest(port, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${CLOSE}\r\n`)
    expect(refusal(await ask('http://evil.com/workflows', 'localhost'))).toBe(400)
    expect(refusal(await ask('http://localhost/workflows', 'evil.com'))).toBe(400)
    expect(read(await ask('http://localhost/workflows', 'localhost')).status).toBe(200)
    expect(refusal(await ask('http://evil.com/workflows', 'evil.com'))).toBe(403)
  })

  it.each([
    '//',
    '//evil.com/workflows',
    '/\\evil.com',
    '/workflows/%',
    '/%',
    '/?%',
    '/workflows?a=%zz',
    '/ü',
  ])('survives the target %s', async (target) => {
    const answer = read(await rawRequest(port, `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${CLOSE}\r\n`))
    expect([200, 400, 404]).toContain(answer.status)
    await stillAnswers()
  })

  it.each([
    ['a target that is not a URL', 'GET http://[ HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
    ['text', 'hello\r\n\r\n', 400],
    ['a header without a name', 'GET / HTTP/1.1\r\nHost: localhost\r\n: x\r\n\r\n', 400],
    [
      'two lengths',
      'POST /workflows/echo/execute HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
      400,
    ],
    [
      'a length and chunked encoding',
      'POST /workflows/echo/execute HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'a chunk without a size',
      'POST /workflows/echo/execute HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\nxx\r\n',
      400,
    ],
    ['endless headers', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`, 431],
  ])('refuses %s with the envelope', async (_, bytes, status) => {
    expect(refusal(await rawRequest(port, bytes))).toBe(status)
    await stillAnswers()
  })

  it('refuses TRACE and CONNECT', async () => {
    expect(
      refusal(
        await rawRequest(
          port,
          `TRACE /workflows HTTP/1.1\r\nHost: localhost\r\nX-Secret: s3cret\r\n${CLOSE}\r\n`,
        ),
      ),
    ).toBe(405)
    expect(await rawRequest(port, 'CONNECT localhost:22 HTTP/1.1\r\nHost: localhost\r\n\r\n')).not.toContain(
      ' 200 ',
    )
    await stillAnswers()
  })

  it('stops reading a chunked body at the limit', async () => {
    const head = `POST /workflows/echo/execute HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n${CLOSE}\r\n`
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`
    expect(
      refusal(await rawRequest(port, [head, ...Array.from({ length: 100 }, () => chunk), '0\r\n\r\n'])),
    ).toBe(413)
    await stillAnswers()
  })

  it('refuses a body by its declared length', async () => {
    const head = `POST /workflows/echo/execute HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n${CLOSE}\r\n`
    expect(refusal(await rawRequest(port, head))).toBe(413)
    await stillAnswers()
  })

  it('logs nothing for a body that ends early', async () => {
    const head =
      'POST /workflows/echo/execute HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
    // the response to the first request shows that the server has read the second one as far as it goes
    const get = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'
    for (const part of [
      'Content-Length: 100\r\n\r\n{"input":',
      'Transfer-Encoding: chunked\r\n\r\n5\r\n{"inp\r\n',
    ])
      await rawRequest(port, get + head + part, { until: /ok$/ })
    await stillAnswers()
    expect(server.logs).toEqual([])
  })

  it('continues an execution when the reader of its stream disconnects', async () => {
    const body = JSON.stringify({ input: {}, options: { executionId: 'hung-up' } })
    const head = `POST /workflows/hold/stream HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
    const seen = await rawRequest(port, head + body, { until: /"type":"step-start"/ })
    expect(seen).toContain('"type":"step-start"')
    server.gate.open('hung-up')
    await expect.poll(async () => (await server.record('hold', 'hung-up')).status).toBe('completed')
    expect(server.logs).toEqual([])
  })

  it('continues an execution when its caller disconnects', async () => {
    const body = JSON.stringify({ input: {}, options: { executionId: 'gone' } })
    const head = `POST /workflows/hold/execute HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
    const socket = connect(port, '127.0.0.1')
    socket.write(head + body)
    await server.gate.arrival('gone')
    socket.destroy()
    server.gate.open('gone')
    await expect.poll(async () => (await server.record('hold', 'gone')).status).toBe('completed')
  })

  it('responds to pipelined requests', async () => {
    const one = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'
    const answer = await rawRequest(port, `${one}GET /readyz HTTP/1.1\r\nHost: localhost\r\n${CLOSE}\r\n`)
    expect(answer.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2)
  })

  it('reports a port in use, and what to do', async () => {
    const second = new TestServer({ port })
    await expect(second.listen({ port })).rejects.toMatchObject({
      code: 'conflict',
      message: `Port ${port} on 127.0.0.1 is in use`,
      hint: expect.stringContaining('PORT') as string,
    })
    await dataOf(second.request('/workflows'))
    await second.close()
  })

  it('ends its streams and connections when it closes', async () => {
    const own = new TestServer()
    const listening = await own.listen()
    const { executionId } = await own.execute('ask')
    const response = await fetch(`${listening.url}/workflows/ask/executions/${executionId}/stream`)
    const text = response.text()
    expect((await fetch(`${listening.url}/healthz`)).status).toBe(200)
    await own.close()
    expect(await text).toContain('"status":"suspended"')
    await expect(fetch(listening.url)).rejects.toThrow('fetch failed')
  })
})
