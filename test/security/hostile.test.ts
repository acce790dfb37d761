import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { GuardedServer, KEY, SECRET, provider, tokenOf } from '../support/server/guarded-server.ts'
import { exchange, expectWell, requestText, send } from '../support/clients/wire.ts'
import type { WireAnswer, WireRequest } from '../support/clients/wire.ts'

const token = await tokenOf()
const server = new GuardedServer(
  { authNext: { provider: provider(), publicRoutes: ['GET /shop/*'] }, limits: { bodyBytes: 65_536 } },
  { production: true },
)
const secrets = [SECRET, KEY, token, server.root]
let port = 0

beforeAll(async () => {
  port = (await server.listen()).port
})
afterAll(() => server.close())

/** Checks that the server still responds and has logged no internal error. */
afterEach(() => expectWell(port, server.errors))

const BEARER = `Authorization: Bearer ${token}`
const WITH_KEY = `x-console-access-key: ${KEY}`
const JSON_TYPE = 'Content-Type: application/json'

const ask = async (request: WireRequest): Promise<WireAnswer> => {
  const answers = await exchange({ port, secrets }, requestText(request))
  expect(answers).toHaveLength(1)
  return answers[0] as WireAnswer
}
const raw = (bytes: string) => exchange({ port, secrets }, bytes)
const statusOf = async (request: WireRequest) => (await ask(request)).status

describe('a disguised path', () => {
  const guarded = ['workflows', 'doc', 'admin/users', 'hello', 'observability/executions']
  const disguises = [
    (path: string) => `/${path}`,
    (path: string) => `/${path}/`,
    (path: string) => `//${path}`,
    (path: string) => `///${path}`,
    (path: string) => `/./${path}`,
    (path: string) => `/x/../${path}`,
    (path: string) => `/%2e/${path}`,
    (path: string) => `/x/%2e%2e/${path}`,
    (path: string) => `/shop/../${path}`,
    (path: string) => `/shop/%2e%2e/${path}`,
    (path: string) => `/shop/.%2E/${path}`,
    (path: string) => `/shop/..;/${path}`,
    (path: string) => `/%${path.charCodeAt(0).toString(16)}${path.slice(1)}`,
    (path: string) => `/${path}%20`,
    (path: string) => `/${path}%00`,
    (path: string) => `/${path}%00.css`,
    (path: string) => `/${path};x=1`,
    (path: string) => `/${path}.json`,
    (path: string) => `/${path.toUpperCase()}`,
    (path: string) => `/${path}?`,
    (path: string) => `/${path}?/shop/mug`,
    (path: string) => `/${path}#/shop/mug`,
    (path: string) => `http://localhost/${path}`,
    (path: string) => `http://localhost//${path}`,
    (path: string) => `/\\${path}`,
    (path: string) => `/shop\\..\\${path}`,
    (path: string) => `/${path}%0d%0aX-Injected:%201`,
    (path: string) => `/${path}\u00e9`,
  ]

  it.each(disguises.map((disguise) => [disguise('workflows'), disguise] as const))(
    '%s gives no access',
    async (_, disguise) => {
      for (const path of guarded) {
        const { status, headers } = await ask({ target: disguise(path) })
        // below a public prefix a 404 is visible to everybody
        const closed = disguise(path).startsWith('/shop') ? [400, 401, 404] : [400, 401]
        expect([disguise(path), closed.includes(status)]).toEqual([disguise(path), true])
        expect(headers.has('x-injected')).toBe(false)
      }
    },
  )

  it.each([
    '/shop/..%2fworkflows',
    '/shop/..%2Fadmin%2Fusers',
    '/shop%2f..%2fadmin/users',
    '/shop/%5c..%5chello',
    '/shop/..%5cworkflows',
    '/shop/%252e%252e%252fworkflows',
    '/shop/%2e%2e%2f%2e%2e%2fhello',
    '/shop/%c0%ae%c0%ae/hello',
    '/shop/%uff0e%uff0e/hello',
  ])('with an encoded slash stays one segment: %s', async (target) => {
    const { status, body } = await ask({ target })
    expect([200, 400, 401, 404]).toContain(status)
    // if there is a response, it is that of the public route itself
    if (status === 200) expect(body).toBe('item')
  })

  it('that resolves to a public path is public', async () => {
    for (const target of ['/shop', '/./shop', '/x/../shop', '/shop?x=1', '/sho%70', 'http://localhost/shop'])
      expect([target, await statusOf({ target })]).toEqual([target, 200])
  })
})

describe('an invalid id', () => {
  const ids = [
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'prototype',
    'valueOf',
    '%00',
    'a%00b',
    '..%2f..%2fetc%2fpasswd',
    '..%5c..%5c',
    '-rf',
    '.hidden',
    '%20',
    'a%20b',
    'a%0d%0ab',
    '%ff',
    '%e2%80%ae',
    'a'.repeat(129),
    'a'.repeat(4000),
    '%F0%9F%92%A9',
    '*',
    "'%20OR%201=1--",
    '%3Cscript%3E',
    '${7*7}',
    '{{7*7}}',
    'null',
    'undefined',
    '-1',
    '0x10',
  ]

  it.each(ids)('%s matches no workflow and no execution', async (id) => {
    const found = [
      await statusOf({ target: `/workflows/${id}`, headers: [WITH_KEY] }),
      await statusOf({ target: `/workflows/whoami/executions/${id}`, headers: [BEARER] }),
      await statusOf({ target: `/workflows/${id}/executions/${id}/state`, headers: [WITH_KEY] }),
      await statusOf({ target: `/observability/executions/${id}`, headers: [WITH_KEY] }),
      await statusOf({
        method: 'POST',
        target: `/workflows/${id}/execute`,
        headers: [BEARER, JSON_TYPE],
        body: '{"input":{}}',
      }),
      await statusOf({
        method: 'POST',
        target: `/workflows/wait/executions/${id}/resume`,
        headers: [BEARER, JSON_TYPE],
        body: '{}',
      }),
    ]
    // a path that resolves to another route is refused for lack of credentials
    for (const status of found) expect([400, 401, 404]).toContain(status)
  })
})

describe('a method', () => {
  it.each([
    'PUT',
    'PATCH',
    'DELETE',
    'OPTIONS',
    'TRACE',
    'PROPFIND',
    'MKCOL',
    'COPY',
    'LOCK',
    'REPORT',
    'PURGE',
    'SEARCH',
    'LINK',
    'M-SEARCH',
    'SUBSCRIBE',
    'SOURCE',
    'ACL',
  ])('%s is refused, and not treated as another method', async (method) => {
    const withKey = await ask({ method, target: '/workflows', headers: [WITH_KEY, BEARER] })
    expect(withKey.status).toBe(405)
    expect(withKey.headers.get('allow')).toBe('GET, HEAD')
    expect(await statusOf({ method, target: '/workflows' })).toBe(401)
    expect(await statusOf({ method, target: '/shop' })).toBe(401)
  })

  it.each(['FOO', 'get', 'Get', 'GETT', 'G ET', 'GET\t', '', '\u0000', 'GET\u00a0', 'X'.repeat(100)])(
    '%j is refused',
    async (method) => {
      expect(await statusOf({ method, target: '/workflows', headers: [WITH_KEY] })).toBe(400)
    },
  )

  it.each(['localhost:22', 'example.com:443', '169.254.169.254:80', '/workflows', '*'])(
    'CONNECT %s gets a response, and no tunnel',
    async (target) => {
      const inside = 'GET /shop HTTP/1.1\r\nHost: localhost\r\n\r\n'
      const answers = await raw(`CONNECT ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n${inside}`)
      expect(answers.map(({ status }) => status)).toEqual([405])
    },
  )

  it.each(['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override', '_method'])(
    'is not overridden by %s',
    async (name) => {
      const target = `/workflows/whoami/execute?_method=POST`
      expect(await statusOf({ target, headers: [BEARER, `${name}: POST`] })).toBe(405)
      expect(
        await statusOf({
          method: 'POST',
          target: '/workflows',
          headers: [WITH_KEY, BEARER, `${name}: GET`, JSON_TYPE],
          body: '{"_method":"GET"}',
        }),
      ).toBe(405)
    },
  )

  it('HEAD has the status of GET and no body', async () => {
    for (const [target, status] of [
      ['/shop', 200],
      ['/workflows', 401],
      ['/nothing', 401],
    ] as const) {
      const text = await send(port, requestText({ method: 'HEAD', target }))
      expect(text.startsWith(`HTTP/1.1 ${status} `)).toBe(true)
      expect(text.endsWith('\r\n\r\n')).toBe(true)
    }
  })
})

describe('a forged header', () => {
  it.each([
    'X-Forwarded-Host: localhost',
    'X-Forwarded-For: 127.0.0.1',
    'X-Forwarded-Proto: https',
    'X-Real-IP: 127.0.0.1',
    'Forwarded: for=127.0.0.1;host=localhost;proto=https',
    'X-Original-URL: /shop',
    'X-Rewrite-URL: /shop',
    'X-Middleware-Subrequest: middleware:middleware:middleware:middleware:middleware',
    'X-Middleware-Subrequest: src/middleware',
    'X-Middleware-Prefetch: 1',
    'X-Service-Dev: true',
    'X-Operator: true',
    'X-Agentserver-Operator: true',
    'X-Agentserver-Not-Found: 1',
    'X-Remote-User: admin',
    'X-User-Id: admin',
    'X-Authenticated-User: admin',
    'Authorization: Basic YWRtaW46YWRtaW4=',
    `Cookie: key=${KEY}; token=${token}`,
    'Via: 1.1 localhost',
    'Client-IP: 127.0.0.1',
    'X-Host: localhost',
    'X-HTTP-Host-Override: localhost',
    'Sec-Fetch-Site: same-origin',
    'Origin: http://localhost',
    'Referer: http://localhost/',
    'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
  ])('gives no access: %s', async (header) => {
    for (const target of ['/workflows', '/hello', '/nothing', '/admin/users'])
      expect(await statusOf({ target, headers: header.split('\r\n') })).toBe(401)
  })
})

describe('credentials on the wire', () => {
  it.each([
    ['a repeated key', [WITH_KEY, WITH_KEY], 401],
    ['a key and a wrong one', [WITH_KEY, 'x-console-access-key: other'], 401],
    ['a wrong key and the right one', ['x-console-access-key: other', WITH_KEY], 401],
    ['a key and an empty one, its name in capitals', [WITH_KEY, 'X-Console-Access-Key:'], 401],
    ['a folded key', [`x-console-access-key:\r\n ${KEY}`], 400],
    ['a key with a space before the colon', [`x-console-access-key : ${KEY}`], 400],
    ['a key after a tab', [`x-console-access-key:\t${KEY}`], 200],
    ['a key with a NUL', [`x-console-access-key: ${KEY}\u0000`], 400],
    ['a key with high bytes', [`x-console-access-key: ${KEY}\u00ff`], 401],
    ['a key under a name with an underscore', [`x_console_access_key: ${KEY}`], 401],
    ['a key and two bearer headers', [WITH_KEY, BEARER, BEARER], 401],
  ])('%s', async (_, headers, status) => {
    expect(await statusOf({ target: '/workflows', headers })).toBe(status)
  })

  it.each([
    ['a repeated token', [BEARER, BEARER], 401],
    ['a token and a wrong one', [BEARER, 'Authorization: Bearer x.y.z'], 401],
    ['a wrong token and the right one', ['Authorization: Bearer x.y.z', BEARER], 401],
    ['a token after tabs', [`Authorization:\t\tBearer ${token}`], 200],
    ['a token with a tab instead of the space', [`Authorization: Bearer\t${token}`], 401],
    ['a token with high bytes', [`${BEARER}\u00e9`], 401],
    ['a folded token', [`Authorization: Bearer\r\n ${token}`], 400],
    ['a token that is too long', [`Authorization: Bearer ${'a'.repeat(9000)}`], 401],
    ['a token over the header limit', [`Authorization: Bearer ${'a'.repeat(20_000)}`], 431],
    ['a repeated bypass', ['x-service-dev: true', 'x-service-dev: true', BEARER], 401],
  ])('%s', async (_, headers, status) => {
    expect(await statusOf({ target: '/hello', headers })).toBe(status)
  })
})

describe('a Host header', () => {
  it.each([
    ['repeated', ['Host: localhost', 'Host: localhost']],
    ['repeated with another value', ['Host: localhost', 'Host: evil.example']],
    ['empty', ['Host:']],
    ['missing', []],
    ['with a space', ['Host: local host']],
    ['with a path', ['Host: localhost/shop']],
    ['with a user', ['Host: admin@localhost']],
    ['with a comma', ['Host: localhost, evil.example']],
    ['with a scheme', ['Host: http://localhost']],
    ['with an invalid port', ['Host: localhost:port']],
    ['with two ports', ['Host: localhost:80:80']],
    ['with a fragment', ['Host: localhost#x']],
    ['with a query', ['Host: localhost?x']],
    ['with a backslash', ['Host: localhost\\evil.example']],
    ['with percent escapes', ['Host: %6cocalhost']],
    ['with empty brackets', ['Host: []']],
    ['with an unclosed bracket', ['Host: [::1']],
    ['with markup', ['Host: <script>']],
    ['with a quote', ['Host: "localhost"']],
    ['with high bytes', ['Host: l\u00f6calhost']],
    ['with a space before its colon', ['Host : localhost']],
    ['folded', ['Host:\r\n localhost']],
  ])('is refused: %s', async (_, headers) => {
    expect(await statusOf({ target: '/shop', host: null, headers })).toBe(400)
  })

  it.each([
    ['http://evil.example/shop', 'localhost', 400],
    ['http://localhost/shop', 'evil.example', 400],
    ['http://localhost:81/shop', 'localhost', 400],
    ['http://localhost@evil.example/shop', 'localhost', 400],
    ['https://evil.example/shop', 'localhost', 400],
    ['ftp://localhost/shop', 'localhost', 400],
    ['file:///etc/passwd', 'localhost', 400],
    ['javascript:alert(1)', 'localhost', 400],
    ['http://[', 'localhost', 400],
    ['http://', 'localhost', 400],
    ['*', 'localhost', 400],
    ['localhost', 'localhost', 400],
    ['shop', 'localhost', 400],
    ['?x', 'localhost', 400],
    ['http://localhost/shop', 'localhost', 200],
    ['HTTP://localhost/shop', 'localhost', 400],
    ['http://api.example/shop', 'api.example', 200],
  ])('is compared with the target: %s for %s gets %i', async (target, host, status) => {
    expect(await statusOf({ target, host })).toBe(status)
  })
})

describe('bytes that are not a valid request', () => {
  const GET = 'GET /shop HTTP/1.1\r\nHost: localhost\r\n'
  const POST = `POST /workflows/whoami/run HTTP/1.1\r\nHost: localhost\r\n${BEARER}\r\n${JSON_TYPE}\r\n`
  const body = '{"input":{}}'
  const cases: [string, string, number][] = [
    ['words', 'hello world\r\n\r\n', 400],
    ['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003\r\n\r\n', 400],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['HTTP/0.9', 'GET /shop\r\n\r\n', 400],
    ['HTTP/1.2', 'GET /shop HTTP/1.2\r\nHost: localhost\r\n\r\n', 400],
    ['HTTP/9.9', 'GET /shop HTTP/9.9\r\nHost: localhost\r\n\r\n', 400],
    ['HTTPS/1.1', 'GET /shop HTTPS/1.1\r\nHost: localhost\r\n\r\n', 400],
    ['a response', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', 400],
    ['NULs', '\u0000\u0000\u0000\u0000\r\n\r\n', 400],
    ['an SSH greeting', 'SSH-2.0-OpenSSH_9.6\r\n\r\n', 400],
    ['a header without a name', `${GET}: x\r\n\r\n`, 400],
    ['a header without a colon', `${GET}nothing\r\n\r\n`, 400],
    ['a header with a NUL', `${GET}X: a\u0000b\r\n\r\n`, 400],
    ['a header with a bare CR', `${GET}X: a\rb\r\n\r\n`, 400],
    ['a header name with a space', `${GET}X Y: a\r\n\r\n`, 400],
    ['a header name with a control', `${GET}X\u0001Y: a\r\n\r\n`, 400],
    ['headers over the limit', `${GET}X: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['a path over the limit', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, 431],
    [
      'a thousand headers',
      `${GET}${Array.from({ length: 1000 }, (_, n) => `X-${n}: ${'y'.repeat(20)}\r\n`).join('')}\r\n`,
      431,
    ],
    ['a length that is not a number', `${POST}Content-Length: abc\r\n\r\n`, 400],
    ['a negative length', `${POST}Content-Length: -1\r\n\r\n`, 400],
    ['a length with a sign', `${POST}Content-Length: +12\r\n\r\n${body}`, 400],
    ['a hexadecimal length', `${POST}Content-Length: 0xC\r\n\r\n${body}`, 400],
    ['a length with a fraction', `${POST}Content-Length: 12.0\r\n\r\n${body}`, 400],
    ['a length out of range', `${POST}Content-Length: 99999999999999999999\r\n\r\n`, 400],
    ['two lengths', `${POST}Content-Length: 12\r\nContent-Length: 3\r\n\r\n${body}`, 400],
    ['a repeated length', `${POST}Content-Length: 12\r\nContent-Length: 12\r\n\r\n${body}`, 400],
    ['a list of lengths', `${POST}Content-Length: 12, 12\r\n\r\n${body}`, 400],
    [
      'a length and chunked encoding',
      `${POST}Content-Length: 12\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    [
      'chunked encoding and a length',
      `${POST}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['identity encoding', `${POST}Transfer-Encoding: identity\r\n\r\n${body}`, 400],
    ['chunked encoding that is not last', `${POST}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`, 400],
    ['an unknown transfer encoding', `${POST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`, 400],
    ['chunked with a vertical tab', `${POST}Transfer-Encoding: \u000bchunked\r\n\r\n0\r\n\r\n`, 400],
    [
      'a space before the colon of Transfer-Encoding',
      `${POST}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['an invalid chunk size', `${POST}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`, 400],
    ['a negative chunk', `${POST}Transfer-Encoding: chunked\r\n\r\n-1\r\n`, 400],
    ['a chunk size out of range', `${POST}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n`, 400],
    [
      'a chunk longer than its size',
      `${POST}Transfer-Encoding: chunked\r\n\r\n2\r\n{"input"\r\n0\r\n\r\n`,
      400,
    ],
    [
      'chunk extensions over the limit',
      `${POST}Transfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(20_000)}\r\n{\r\n0\r\n\r\n`,
      413,
    ],
    ['an unknown expectation', `${GET}Expect: 200-maybe\r\nConnection: close\r\n\r\n`, 417],
    ['a length above the limit', `${POST}Content-Length: 70000\r\nConnection: close\r\n\r\n`, 413],
    [
      'a length above the limit, with Expect: 100-continue',
      `${POST}Content-Length: 70000\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`,
      413,
    ],
  ]

  it.each(cases)('are refused: %s', async (_, bytes, status) => {
    const answers = await raw(bytes)
    expect(answers.map((answer) => answer.status)).toEqual([status])
  })

  it('are not parsed as a second request', async () => {
    const hidden = `GET /admin/users HTTP/1.1\r\nHost: localhost\r\n${BEARER}\r\n\r\n`
    const smuggled = [
      `${POST}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
      `${POST}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${hidden}`,
      `${POST}Content-Length: 12\r\nContent-Length: 0\r\n\r\n${hidden}`,
      `GET /shop HTTP/1.1\r\nHost: localhost\r\nX: a\n\r\n${hidden}`,
    ]
    for (const bytes of smuggled) {
      const answers = await raw(bytes)
      expect(answers.some((answer) => answer.body === 'users' && answers.length === 1)).toBe(false)
      expect(answers[0]?.status).toBe(400)
    }
  })
})
