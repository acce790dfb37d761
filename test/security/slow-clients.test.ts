import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { resolveConfig } from '../../src/config/config.ts'
import { createHttpServer } from '../../src/server/http-server.ts'
import { GuardedServer } from '../support/server/guarded-server.ts'
import { answersIn, exchange, expectClean, expectWell } from '../support/clients/wire.ts'
import { collectLogs } from '../support/telemetry/collect-logs.ts'

// headers have no more time than the request has
const server = new GuardedServer({ limits: { requestTimeoutMs: 300 } })
let port = 0
beforeAll(async () => {
  port = (await server.listen()).port
})
afterAll(() => server.close())

/** Sends pieces one by one, and returns what was received until the server closed the connection. */
function drip(
  pieces: Iterable<string>,
  everyMs: number,
  to = port,
): { ended: Promise<string>; socket: Socket } {
  const socket = connect(to, '127.0.0.1')
  let got = ''
  socket.on('data', (chunk) => (got += chunk.toString('latin1')))
  socket.on('error', () => undefined)
  const rest = pieces[Symbol.iterator]()
  const timer = setInterval(() => {
    const { value, done } = rest.next()
    if (done !== true && !socket.destroyed) socket.write(value)
  }, everyMs)
  const ended = new Promise<string>((resolve) =>
    socket.once('close', () => {
      clearInterval(timer)
      resolve(got)
    }),
  )
  return { ended, socket }
}

function* forever(first: string, then: string): Generator<string> {
  yield first
  for (;;) yield then
}

const refusals = (text: string) => {
  const answers = answersIn(text)
  for (const answer of answers) expectClean(answer, [server.root])
  return answers.map(({ status }) => status)
}

const POST =
  'POST /workflows/whoami/execute HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'

describe('a slow client', () => {
  it.each([
    ['sends nothing', []],
    ['stops in its first line', ['GET /sh']],
    ['stops in its headers', ['GET /shop HTTP/1.1\r\nHost: localhost\r\nX: ']],
    ['never ends its headers', forever('GET /shop HTTP/1.1\r\nHost: localhost\r\n', 'X: y\r\n')],
    ['stops in its body', [`${POST}Content-Length: 100\r\n\r\n{"input"`]],
    ['never ends its body', forever(`${POST}Content-Length: 100000\r\n\r\n{"input":`, ' ')],
    ['never ends its chunks', forever(`${POST}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n')],
  ])('is disconnected with a response when it %s', async (_, pieces) => {
    expect(refusals(await drip(pieces, 20).ended)).toEqual([408])
    await expectWell(port, server.errors)
  })

  it('has 15 seconds for the headers, and longer for the body', () => {
    const { logger } = collectLogs().logs
    const handlers = { fetch: () => new Response(), upgrade: () => undefined, logger }
    const http = createHttpServer(handlers, { requestTimeoutMs: 120_000, maxConnections: 1 })
    expect([http.headersTimeout, http.requestTimeout]).toEqual([15_000, 120_000])
  })

  it('does not delay others', async () => {
    const slow = Array.from({ length: 8 }, () => drip(forever('GET / HTTP/1.1\r\n', 'X: y\r\n'), 20))
    for (let n = 0; n < 20; n++) {
      const [answer] = await exchange(
        { port, secrets: [] },
        'GET /shop HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      )
      expect(answer?.status).toBe(200)
    }
    for (const { ended } of slow) expect(refusals(await ended)).toEqual([408])
  })

  it('may read slowly: only sending is limited', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/workflows/wait/execute`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"input":{},"options":{"executionId":"slow-reader"}}',
    })
    expect(response.status).toBe(200)
    const stream = await fetch(`http://127.0.0.1:${port}/workflows/wait/executions/slow-reader/stream`)
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    await new Promise((resolve) => setTimeout(resolve, 450))
    const resumed = server.request('/workflows/wait/executions/slow-reader/resume', {
      method: 'POST',
      json: { resumeData: 1 },
    })
    let text = ''
    for (let part = await reader.read(); !part.done; part = await reader.read())
      text += Buffer.from(part.value).toString()
    expect(text).toContain('"type":"workflow-result"')
    expect((await resumed).status).toBe(200)
  })
})

describe('connections', () => {
  it('over the limit are closed immediately, and accepted when others have closed', async () => {
    const small = new GuardedServer({ limits: { maxConnections: 3 } })
    const place = (await small.listen()).port
    const get = 'GET /shop HTTP/1.1\r\nHost: localhost\r\n'
    const held = Array.from({ length: 3 }, () => drip([`${get}\r\n`], 1, place))
    await Promise.all(held.map(({ socket }) => new Promise((resolve) => socket.once('data', resolve))))
    expect(await drip([], 5, place).ended).toBe('')
    for (const { socket } of held) socket.destroy()
    const ask = () => exchange({ port: place, secrets: [] }, `${get}Connection: close\r\n\r\n`)
    await expect.poll(async () => (await ask())[0]?.status).toBe(200)
    await small.close()
  })

  it('serve many requests, also pipelined ones', async () => {
    const one = 'GET /shop HTTP/1.1\r\nHost: localhost\r\n\r\n'
    const last = 'GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
    const answers = await exchange({ port, secrets: [] }, one.repeat(100) + last)
    expect(answers.map(({ status }) => status)).toEqual([...Array<number>(100).fill(200), 404])
  })

  it('stay open after a refusal', async () => {
    const refused = `${POST}Content-Length: 2\r\n\r\n{}`
    const last = 'GET /shop HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
    const answers = await exchange({ port, secrets: [] }, refused + last)
    expect(answers.map(({ status }) => status)).toEqual([400, 200])
  })
})

describe('the limits of a configuration', () => {
  it.each([
    [{ requestTimeoutMs: 0 }],
    [{ requestTimeoutMs: -1 }],
    [{ requestTimeoutMs: 1.5 }],
    [{ requestTimeoutMs: 3_000_000_000 }],
    [{ requestTimeoutMs: Number.POSITIVE_INFINITY }],
    [{ maxConnections: 0 }],
    [{ maxConnections: '10' }],
    [{ maxConnection: 10 }],
  ])('must be valid, unlike %j', (limits) => {
    expect(() => resolveConfig({ limits }, 'agentserver.config.ts')).toThrow(/limits\.m|limits\.r/)
  })
})
