import { createServer } from 'node:http'
import { createHmac } from 'node:crypto'
import { CompactEncrypt, SignJWT, base64url, exportJWK, exportSPKI, generateKeyPair } from 'jose'
import type { CryptoKey, JWTHeaderParameters, JWTPayload } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jwtAuth } from 'agentserver'
import type { JwtAuthOptions } from 'agentserver'
import { GuardedServer, SECRET, bearer, provider, tokenOf } from '../support/server/guarded-server.ts'

const HMAC = new TextEncoder().encode(SECRET)
const rsa = await generateKeyPair('RS256', { extractable: true })
const otherRsa = await generateKeyPair('RS256', { extractable: true })
const ec = await generateKeyPair('ES256', { extractable: true })
const ed = await generateKeyPair('EdDSA', { extractable: true })
const rsaPem = await exportSPKI(rsa.publicKey)

interface Signing {
  readonly header?: Partial<JWTHeaderParameters>
  readonly claims?: JWTPayload
  readonly key?: CryptoKey | Uint8Array
  readonly expiresIn?: string | null
}

function sign({
  header = {},
  claims = { sub: 'ada' },
  key = HMAC,
  expiresIn = '5m',
}: Signing = {}): Promise<string> {
  const jwt = new SignJWT(claims).setProtectedHeader({ alg: 'HS256', ...header })
  if (expiresIn !== null) jwt.setExpirationTime(expiresIn)
  return jwt.sign(key)
}

/** Signs a token by hand, in ways that no library supports. */
function forge(header: object, claims: object, key: string | undefined): string {
  const text = `${base64url.encode(JSON.stringify(header))}.${base64url.encode(JSON.stringify(claims))}`
  return `${text}.${key === undefined ? '' : createHmac('sha256', key).update(text).digest('base64url')}`
}

const soon = Math.floor(Date.now() / 1000) + 300
const claims = { sub: 'ada', exp: soon }

async function statusOf(options: JwtAuthOptions, token: string): Promise<number> {
  const server = new GuardedServer({ authNext: { provider: jwtAuth(options) } }, { production: true })
  const status = await server.status('/hello', bearer(token))
  await server.close()
  return status
}

const bound = { secret: SECRET, verifyOptions: { audience: 'shop', issuer: 'https://id.example' } }
const rightClaims = { sub: 'ada', aud: 'shop', iss: 'https://id.example' }

describe('a token', () => {
  const server = new GuardedServer({ authNext: { provider: provider() } }, { production: true })
  afterAll(() => server.close())

  it('that is valid opens user routes', async () => {
    expect(await server.status('/hello', bearer(await sign()))).toBe(200)
    expect(await server.status('/hello', bearer(forge({ alg: 'HS256' }, claims, SECRET)))).toBe(200)
    expect(await server.status('/hello', bearer(await sign({ expiresIn: null })))).toBe(200)
  })

  const refused: [string, () => string | Promise<string>][] = [
    ['without a signature, alg none', () => forge({ alg: 'none' }, claims, undefined)],
    ['alg None', () => forge({ alg: 'None' }, claims, undefined)],
    ['alg NONE with a signature', () => forge({ alg: 'NONE' }, claims, SECRET)],
    ['no alg', () => forge({ typ: 'JWT' }, claims, SECRET)],
    ['an alg that is not a string', () => forge({ alg: ['HS256'] }, claims, SECRET)],
    ['alg hs256', () => forge({ alg: 'hs256' }, claims, SECRET)],
    ['HS384, which is not allowed', () => sign({ header: { alg: 'HS384' } })],
    ['HS512, which is not allowed', () => sign({ header: { alg: 'HS512' } })],
    ['RS256 with a configured secret', () => sign({ header: { alg: 'RS256' }, key: rsa.privateKey })],
    [
      'another secret',
      () => sign({ key: new TextEncoder().encode('another secret of thirty-two bytes, at least') }),
    ],
    ['an empty secret', () => forge({ alg: 'HS256' }, claims, '')],
    ['signature removed', async () => (await sign()).replace(/[^.]*$/, '')],
    ['signature changed', async () => (await sign()).replace(/.{4}$/, 'AAAA')],
    [
      'claims changed',
      async () => {
        const [head, , signature] = (await sign()).split('.')
        return [head, base64url.encode(JSON.stringify({ sub: 'root', exp: soon })), signature].join('.')
      },
    ],
    ['expired', () => sign({ expiresIn: '-1s' })],
    ['expired a minute ago', () => tokenOf({ sub: 'ada' }, { expiresIn: '-1m' })],
    ['an exp that is not a number', () => forge({ alg: 'HS256' }, { sub: 'ada', exp: 'never' }, SECRET)],
    ['not valid yet', () => sign({ claims: { sub: 'ada', nbf: soon } })],
    ['an nbf that is not a number', () => forge({ alg: 'HS256' }, { ...claims, nbf: 'now' }, SECRET)],
    [
      'an unknown critical header',
      () => forge({ alg: 'HS256', crit: ['x-must'], 'x-must': true }, claims, SECRET),
    ],
    ['an empty crit', () => forge({ alg: 'HS256', crit: [] }, claims, SECRET)],
    ['b64 false', () => forge({ alg: 'HS256', crit: ['b64'], b64: false }, claims, SECRET)],
    [
      'an embedded public key in jwk',
      async () => {
        const jwk = await exportJWK(otherRsa.publicKey)
        return sign({ header: { alg: 'RS256', jwk }, key: otherRsa.privateKey })
      },
    ],
    [
      'an embedded secret in jwk',
      () => {
        const jwk = { kty: 'oct', k: base64url.encode('mine') }
        return forge({ alg: 'HS256', jwk }, claims, 'mine')
      },
    ],
    ['claims that are an array', () => forge({ alg: 'HS256' }, [claims], SECRET)],
    [
      'encrypted (JWE)',
      () =>
        new CompactEncrypt(new TextEncoder().encode(JSON.stringify(claims)))
          .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
          .encrypt(HMAC.slice(0, 32)),
    ],
    ['two parts', () => 'a.b'],
    ['four parts', async () => `${await sign()}.x`],
    ['not JSON', () => `${base64url.encode('{')}.${base64url.encode('{')}.x`],
    ['over 8 KiB', () => sign({ claims: { sub: 'ada', pad: 'x'.repeat(7000) } })],
  ]

  it.each(refused)('is refused: %s', async (_, make) => {
    const response = await server.request('/hello', { headers: bearer(await make()) })
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual({ success: false, error: 'A valid user token is required' })
  })

  it.each([
    ['right', rightClaims, 200],
    ['one of several audiences', { ...rightClaims, aud: ['other', 'shop'] }, 200],
    ['another audience', { ...rightClaims, aud: 'bank' }, 401],
    ['no audience', { sub: 'ada', iss: rightClaims.iss }, 401],
    ['another issuer', { ...rightClaims, iss: 'https://id.example.evil' }, 401],
    ['no issuer', { sub: 'ada', aud: 'shop' }, 401],
  ])('is checked for audience and issuer: %s', async (_, given, status) => {
    expect(await statusOf(bound, await sign({ claims: given }))).toBe(status)
  })

  const now = Math.floor(Date.now() / 1000)

  it.each<[string, NonNullable<JwtAuthOptions['verifyOptions']>, JWTPayload, number]>([
    ['no exp, by default', {}, {}, 200],
    ['no exp, which is required', { requiredClaims: ['exp'] }, {}, 401],
    ['an exp, which is required', { requiredClaims: ['exp'] }, { exp: soon }, 200],
    ['one of two required claims', { requiredClaims: ['exp', 'tenantId'] }, { exp: soon }, 401],
    ['a young token', { maxTokenAge: 60 }, { iat: now - 30 }, 200],
    ['an old token, valid by its exp', { maxTokenAge: 60 }, { iat: now - 120, exp: soon }, 401],
    ['an old token, with the age as text', { maxTokenAge: '1 minute' }, { iat: now - 120 }, 401],
    ['a young token, with the age as text', { maxTokenAge: '2h' }, { iat: now - 120 }, 200],
    ['no iat, with a maximum age', { maxTokenAge: 60 }, { exp: soon }, 401],
    ['just expired', {}, { exp: now - 5 }, 401],
    ['just expired, within the tolerance', { clockTolerance: 60 }, { exp: now - 5 }, 200],
    ['just expired, within the tolerance as text', { clockTolerance: '1m' }, { exp: now - 5 }, 200],
    ['a little early, within the tolerance', { clockTolerance: '90 seconds' }, { nbf: now + 30 }, 200],
  ])('is checked by verifyOptions: %s', async (_, verifyOptions, given, status) => {
    const token = await sign({ claims: { sub: 'ada', ...given }, expiresIn: null })
    expect(await statusOf({ secret: SECRET, verifyOptions }, token)).toBe(status)
  })

  it('ends, for open connections, by exp and by its maximum age, plus the tolerance', async () => {
    const verifyOptions = { maxTokenAge: '1h', clockTolerance: 10 }
    const strict = jwtAuth({ secret: SECRET, verifyOptions })
    const token = (given: JWTPayload) => sign({ claims: given, expiresIn: null })
    expect(strict.expiresAt?.(await token({ iat: 1000 }))).toBe(4_610_000)
    expect(strict.expiresAt?.(await token({ iat: 1000, exp: 1060 }))).toBe(1_070_000)
  })

  it('is mapped to a user, and refused when the mapping returns none', async () => {
    const users: unknown[] = [{ id: 'mapped', plan: 'gold' }, null, undefined, false, 'ada']
    const statuses: number[] = []
    for (const user of users)
      statuses.push(await statusOf({ secret: SECRET, mapUser: () => user as null }, await sign()))
    expect(statuses).toEqual([200, 401, 401, 401, 401])
    const throwing = {
      secret: SECRET,
      mapUser: () => {
        throw new Error('no role')
      },
    }
    expect(await statusOf(throwing, await sign())).toBe(401)
  })
})

describe('a public key', () => {
  const RS256 = { verifyOptions: { algorithms: ['RS256'] } } as const

  it.each([
    ['as publicKey', { publicKey: rsaPem, ...RS256 }],
    ['as secret', { secret: rsaPem, ...RS256 }],
  ])('given %s verifies tokens of its private key, and refuses others', async (_, options) => {
    const rs = (key: CryptoKey) => sign({ header: { alg: 'RS256' }, key })
    expect(await statusOf(options, await rs(rsa.privateKey))).toBe(200)
    expect(await statusOf(options, await rs(otherRsa.privateKey))).toBe(401)
    expect(await statusOf(options, await sign({ header: { alg: 'PS256' }, key: await asPss() }))).toBe(401)
    const header = { alg: 'RS256', jwk: await exportJWK(otherRsa.publicKey) }
    expect(await statusOf(options, await sign({ header, key: otherRsa.privateKey }))).toBe(401)
  })

  it('is not a secret: tokens signed with its PEM text are refused', async () => {
    for (const alg of ['HS256', 'HS384', 'HS512', 'RS256', 'none'])
      for (const text of [rsaPem, rsaPem.trim(), rsaPem.replaceAll('\n', '')])
        expect(await statusOf({ publicKey: rsaPem, ...RS256 }, forge({ alg }, claims, text))).toBe(401)
  })

  it('may be an elliptic-curve key', async () => {
    const es = {
      publicKey: await exportSPKI(ec.publicKey),
      verifyOptions: { algorithms: ['ES256'] as const },
    }
    expect(await statusOf(es, await sign({ header: { alg: 'ES256' }, key: ec.privateKey }))).toBe(200)
    const eddsa = {
      publicKey: await exportSPKI(ed.publicKey),
      verifyOptions: { algorithms: ['EdDSA'] as const },
    }
    expect(await statusOf(eddsa, await sign({ header: { alg: 'EdDSA' }, key: ed.privateKey }))).toBe(200)
  })
})

async function asPss(): Promise<CryptoKey> {
  return (await generateKeyPair('PS256')).privateKey
}

describe('settings that would accept forged tokens', () => {
  const SHORT = 'too-short'
  it.each([
    ['no key', {}, /set secret, publicKey or jwksUri/],
    ['an empty secret', { secret: '' }, /empty/],
    ['a blank secret', { secret: '  ' }, /empty/],
    ['a secret from an unset variable', { secret: undefined }, /secret is undefined/],
    ['a secret that is not a string', { secret: 42 as unknown as string }, /empty|text/],
    ['two keys', { secret: SECRET, publicKey: rsaPem }, /only one/],
    ['none', { secret: SECRET, verifyOptions: { algorithms: ['none'] } }, /"none"/],
    ['none with HS256', { secret: SECRET, verifyOptions: { algorithms: ['HS256', 'none'] } }, /"none"/],
    [
      'no algorithm',
      { secret: SECRET, verifyOptions: { algorithms: [] } },
      /algorithms must name an algorithm/,
    ],
    [
      'HS mixed with RS',
      { secret: SECRET, verifyOptions: { algorithms: ['HS256', 'RS256'] } },
      /must not mix/,
    ],
    ['a PEM as an HS secret', { secret: rsaPem }, /a public key or jwksUri requires/],
    [
      'a PEM as an HS secret, with HS256 set explicitly',
      { secret: rsaPem, verifyOptions: { algorithms: ['HS256'] } },
      /a public key or jwksUri requires/,
    ],
    [
      'a public key with HS',
      { publicKey: rsaPem, verifyOptions: { algorithms: ['HS256'] } },
      /a public key or jwksUri requires/,
    ],
    [
      'an invalid PEM',
      {
        publicKey: '-----BEGIN PUBLIC KEY-----\nMII\n-----END PUBLIC KEY-----',
        verifyOptions: { algorithms: ['RS256'] },
      },
      /can't be parsed/,
    ],
    [
      'a key type that does not fit the algorithm',
      { publicKey: rsaPem, verifyOptions: { algorithms: ['ES256'] } },
      /type rsa can't verify ES256/,
    ],
    ['a key set with HS', { jwksUri: 'https://id.example/keys' }, /a public key or jwksUri requires/],
    [
      'a secret with RS',
      { secret: SECRET, verifyOptions: { algorithms: ['RS256'] } },
      /requires a public key/,
    ],
    ...['http://id.example/keys', 'http://localhost.evil.example/keys', 'http://10.0.0.1/keys'].map(
      (jwksUri) => [
        `a key set over plain HTTP: ${jwksUri}`,
        { jwksUri, verifyOptions: { algorithms: ['RS256'] } },
        /must be an https URL/,
      ],
    ),
    ...['soon', '-1h', '', '1', -5, 0, Number.NaN].map((maxTokenAge) => [
      `a maximum age of ${JSON.stringify(maxTokenAge)}`,
      { secret: SECRET, verifyOptions: { maxTokenAge } },
      /maxTokenAge must be a number of seconds/,
    ]),
    [
      'a negative tolerance',
      { secret: SECRET, verifyOptions: { clockTolerance: -1 } },
      /clockTolerance must be a number of seconds/,
    ],
    [
      'required claims that are no list',
      { secret: SECRET, verifyOptions: { requiredClaims: 'exp' as never } },
      /requiredClaims must be a list/,
    ],
    [
      'a misspelled rule',
      { secret: SECRET, verifyOptions: { requireClaims: ['exp'] } as object },
      /unknown option "verifyOptions.requireClaims"; did you mean "requiredClaims"\?/,
    ],
    [
      'a rule that does not exist',
      { secret: SECRET, verifyOptions: { subject: 'ada' } as object },
      /unknown option "verifyOptions.subject"; use algorithms, audience/,
    ],
    ['a key set without a URL', { jwksUri: 'keys', verifyOptions: { algorithms: ['RS256'] } }, /http/],
    [
      'a public key that is not a PEM',
      { publicKey: 'ssh-rsa AAAA', verifyOptions: { algorithms: ['RS256'] } },
      /PEM/,
    ],
    [
      'a private key instead of the public key',
      {
        publicKey: '-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----',
        verifyOptions: { algorithms: ['RS256'] },
      },
      /private/,
    ],
    [
      'a key set at a file URL',
      { jwksUri: 'file:///etc/keys', verifyOptions: { algorithms: ['RS256'] } },
      /http/,
    ],
  ] as [string, JwtAuthOptions, RegExp][])('are refused at start: %s', (_, options, message) => {
    expect(() => jwtAuth(options)).toThrow(message)
    expect(() => jwtAuth(options)).toThrow(expect.objectContaining({ code: 'invalid_config' }) as Error)
  })

  it('include, in production, a secret under 32 bytes', async () => {
    const config = { authNext: { provider: jwtAuth({ secret: SHORT }) } }
    expect(() => new GuardedServer(config, { production: true })).toThrow(
      expect.objectContaining({
        code: 'invalid_config',
        message: expect.stringMatching(/at least 32 bytes/) as string,
      }) as Error,
    )
    const development = new GuardedServer(config)
    expect(await development.status('/hello')).toBe(401)
    await development.close()
  })

  it('are reported without the secret', () => {
    const secret = 'hunter2-hunter2-hunter2-hunter2-hunter2'
    for (const algorithms of [['none'], ['RS256'], ['HS256', 'ES256'], []] as 'HS256'[][]) {
      let message = ''
      try {
        jwtAuth({ secret, verifyOptions: { algorithms } })
      } catch (error) {
        message = (error as Error).message
      }
      expect(message).toMatch(/^jwtAuth: /)
      expect(message).not.toContain('hunter2')
    }
  })
})

describe('a key set', () => {
  let fetched = 0
  let answer: (respond: (status: number, body: string) => void) => void = () => undefined
  const issuer = createServer((_, response) => {
    fetched++
    answer((status, body) => response.writeHead(status, { 'Content-Type': 'application/json' }).end(body))
  })
  let jwksUri = ''
  const kid = 'k1'
  const rs = (key: CryptoKey, header = {}) => sign({ header: { alg: 'RS256', kid, ...header }, key })
  const options = () => ({ jwksUri, verifyOptions: { algorithms: ['RS256'] } }) as const

  beforeAll(async () => {
    await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve))
    jwksUri = `http://127.0.0.1:${(issuer.address() as { port: number }).port}/keys`
  })
  afterAll(() => {
    issuer.closeAllConnections()
    return new Promise((resolve) => issuer.close(resolve))
  })

  const keys = async () => {
    const key = { ...(await exportJWK(rsa.publicKey)), kid, alg: 'RS256', use: 'sig' }
    const text = JSON.stringify({ keys: [key] })
    answer = (respond) => respond(200, text)
  }

  it('is fetched once for many tokens', async () => {
    await keys()
    fetched = 0
    const server = new GuardedServer({ authNext: { provider: jwtAuth(options()) } }, { production: true })
    const token = bearer(await rs(rsa.privateKey))
    const statuses = await Promise.all(Array.from({ length: 20 }, () => server.status('/hello', token)))
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(await server.status('/hello', token)).toBe(200)
    expect(fetched).toBe(1)
    await server.close()
  })

  it('is not fetched repeatedly for unknown keys', async () => {
    await keys()
    fetched = 0
    const server = new GuardedServer({ authNext: { provider: jwtAuth(options()) } }, { production: true })
    for (let n = 0; n < 20; n++)
      expect(
        await server.status('/hello', bearer(await rs(otherRsa.privateKey, { kid: `unknown-${n}` }))),
      ).toBe(401)
    expect(fetched).toBe(1)
    await server.close()
  })

  it('is the only source of keys: a jku in the token is ignored', async () => {
    await keys()
    const token = await rs(otherRsa.privateKey, { jku: jwksUri, x5u: jwksUri })
    expect(await statusOf(options(), token)).toBe(401)
    expect(await statusOf(options(), forge({ alg: 'HS256', kid }, claims, rsaPem))).toBe(401)
  })

  it.each([
    ['an error', 500, 'no'],
    ['text', 200, 'nothing'],
    ['no keys', 200, '{"keys":[]}'],
    ['another shape', 200, '{"keys":{}}'],
  ])('that returns %s admits nobody', async (_, status, body) => {
    answer = (respond) => respond(status, body)
    expect(await statusOf(options(), await rs(rsa.privateKey))).toBe(401)
  })

  it('that is unreachable admits nobody', async () => {
    const nowhere = { ...options(), jwksUri: 'http://127.0.0.1:9/keys' }
    expect(await statusOf(nowhere, await rs(rsa.privateKey))).toBe(401)
  })

  it('that does not respond is given up, and requested again later', async () => {
    answer = () => undefined
    const patient = jwtAuth({ ...options(), jwksTimeoutMs: 1500 })
    const server = new GuardedServer({ authNext: { provider: patient } }, { production: true })
    expect(await server.status('/hello', bearer(await rs(rsa.privateKey)))).toBe(401)
    await keys()
    expect(await server.status('/hello', bearer(await rs(rsa.privateKey)))).toBe(200)
    await server.close()
  })
})
