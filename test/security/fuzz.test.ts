import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  GuardedServer,
  KEY,
  SECRET,
  bearer,
  keyHeader,
  provider,
  tokenOf,
} from '../support/server/guarded-server.ts'
import { answersIn, expectClean, expectWell, send } from '../support/clients/wire.ts'

const token = await tokenOf()
const server = new GuardedServer(
  { authNext: { provider: provider(), publicRoutes: ['/shop/*'] } },
  { production: true },
)
const secrets = [SECRET, KEY, token, server.root]
let port = 0
beforeAll(async () => {
  port = (await server.listen()).port
})
afterAll(() => server.close())

const TIME = { interruptAfterTimeLimit: 500, numRuns: 100_000, markInterruptAsFailure: false }

/** Segments of paths; dangerous ones are more frequent than in random text. */
const piece = fc.oneof(
  fc.constantFrom('', '.', '..', '%2e', '%2e%2e', '%2f', '%5c', '%00', '%', '%zz', ';', ':', '*', '@', '\\'),
  fc.constantFrom(
    'workflows',
    'executions',
    'whoami',
    'shop',
    'doc',
    'observability',
    'healthz',
    'hello',
    'state',
  ),
  fc.string({ maxLength: 12 }),
  fc
    .string({ unit: 'binary', maxLength: 6 })
    .map((text) => encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '?'))),
)
const path = fc.array(piece, { maxLength: 7 }).map((pieces) => `/${pieces.join('/')}`)
const visible = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 60,
})
const byte = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
  maxLength: 60,
})
const headerName = fc.oneof(
  fc.constantFrom(
    'authorization',
    'x-console-access-key',
    'x-service-dev',
    'origin',
    'host',
    'cookie',
    'accept',
  ),
  fc.constantFrom(
    'content-type',
    'content-length',
    'transfer-encoding',
    'expect',
    'upgrade',
    'connection',
    'prefer',
    'range',
  ),
  visible,
)

/** Checks that a response is well-formed. */
async function expectAnswer(response: Response): Promise<number> {
  const text = await response.text()
  if (response.status >= 300) {
    expect(JSON.parse(text)).toEqual({ success: false, error: expect.any(String) as string })
    expect(response.status).toBeLessThan(500)
  }
  for (const secret of secrets) expect(text).not.toContain(secret)
  return response.status
}

describe('any request', () => {
  it('without credentials gets public paths only', async () => {
    const open = /^\/(?:shop(?:\/.*)?|healthz|readyz|ui\/[^/]+)$/s
    await fc.assert(
      fc.asyncProperty(
        path,
        fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'),
        async (target, method) => {
          if (!URL.canParse(target, 'http://localhost')) return
          const status = await expectAnswer(await server.request(`http://localhost${target}`, { method }))
          const { pathname } = new URL(`http://localhost${target}`)
          if (![400, 401].includes(status)) expect(decodeLenient(pathname)).toMatch(open)
        },
      ),
      TIME,
    )
    await expectWell(port)
    expect(server.errors).toEqual([])
  })

  it('with credentials gets no 5xx', async () => {
    await fc.assert(
      fc.asyncProperty(path, fc.boolean(), fc.constantFrom('GET', 'POST'), async (target, isUser, method) => {
        if (!URL.canParse(target, 'http://localhost')) return
        const headers = isUser ? bearer(token) : keyHeader()
        await expectAnswer(await server.request(`http://localhost${target}`, { method, headers }))
      }),
      TIME,
    )
    await expectWell(port)
    expect(server.errors).toEqual([])
  })

  it('with any JSON body is executed or refused', async () => {
    const body = fc.oneof(
      fc.json(),
      fc.record({ input: fc.jsonValue(), options: fc.jsonValue() }).map((value) => JSON.stringify(value)),
      fc.record({ input: fc.dictionary(fc.string(), fc.jsonValue()) }).map((value) => JSON.stringify(value)),
    )
    await fc.assert(
      fc.asyncProperty(body, async (text) => {
        const response = await server.request('/workflows/whoami/execute', {
          method: 'POST',
          headers: bearer(token),
          json: JSON.parse(text) as unknown,
        })
        expect([200, 400, 409]).toContain(await expectAnswer(response))
      }),
      TIME,
    )
    await expectWell(port)
    expect(server.errors).toEqual([])
  })

  it('of random bytes gets a well-formed response, or none', async () => {
    const header = fc
      .tuple(headerName, fc.oneof(byte, visible))
      .map(([name, value]) => `${name}: ${value}\r\n`)
    const request = fc
      .tuple(
        fc.oneof(fc.constantFrom('GET', 'POST', 'HEAD', 'CONNECT', 'TRACE'), visible),
        fc.oneof(path, byte),
        fc.array(header, { maxLength: 6 }),
        byte,
      )
      .map(
        ([method, target, headers, body]) =>
          `${method} ${target} HTTP/1.1\r\nHost: localhost\r\n${headers.join('')}Connection: close\r\n\r\n${body}`,
      )
    await fc.assert(
      fc.asyncProperty(fc.oneof({ weight: 4, arbitrary: request }, byte), async (bytes) => {
        const text = await send(port, `${bytes}\r\n\r\n`, { idleMs: 25 })
        if (bytes.startsWith('HEAD ')) return
        for (const answer of answersIn(text)) {
          expectClean(answer, secrets)
          expect(answer.status).toBeLessThan(500)
        }
      }),
      TIME,
    )
    await expectWell(port)
    expect(server.errors).toEqual([])
  })
})

function decodeLenient(pathname: string): string {
  try {
    return decodeURI(pathname)
  } catch {
    return pathname
  }
}
