import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'agentserver'
import { createServer } from 'agentserver/server'
import { SignJWT, type JWTPayload } from 'jose'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { AUDIENCE, ISSUER } from '../src/identity-provider.ts'

const SECRET = randomBytes(32).toString('hex')
const KEY = randomBytes(32).toString('hex')
vi.stubEnv('JWT_SECRET', SECRET)
vi.stubEnv('SERVICE_CONSOLE_ACCESS_KEY', KEY)

const { default: config } = await import('../agentserver.config.ts')
const server = createServer(defineConfig({ ...config, database: ':memory:' }), { production: true })
afterAll(() => server.close())

function sign(
  claims: JWTPayload,
  { audience = AUDIENCE, expires = '5m', secret = SECRET } = {},
): Promise<string> {
  return new SignJWT({ sub: 'ada', email: 'ada@example.com', tenantId: 'north', ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setAudience(audience)
    .setIssuer(ISSUER)
    .setExpirationTime(expires)
    .sign(new TextEncoder().encode(secret))
}

const member = { authorization: `Bearer ${await sign({})}` }
const admin = { authorization: `Bearer ${await sign({ sub: 'grace', role: 'admin' })}` }
const operator = { 'x-console-access-key': KEY }

interface Answer {
  readonly status: number
  readonly body: { readonly success: boolean; readonly data?: any; readonly error?: string }
}

async function ask(path: string, headers: Record<string, string> = {}, json?: object): Promise<Answer> {
  const response = await server.fetch(
    new Request(`http://localhost${path}`, {
      headers: { ...headers, ...(json && { 'Content-Type': 'application/json' }) },
      ...(json && { method: 'POST', body: JSON.stringify(json) }),
    }),
  )
  return { status: response.status, body: (await response.json()) as Answer['body'] }
}

describe('access', () => {
  test.each([
    ['/currencies', 200, 200, 200, 200],
    ['/me', 401, 200, 200, 401],
    ['/admin/tenants', 401, 403, 200, 401],
    ['/metrics/tenants', 401, 401, 401, 200],
    ['/workflows', 401, 401, 401, 200],
    ['/nothing', 401, 404, 404, 401],
  ])('%s: anyone %i, member %i, admin %i, operator %i', async (path, ...statuses) => {
    const callers = [{}, member, admin, operator]
    const seen = await Promise.all(callers.map(async (headers) => (await ask(path, headers)).status))
    expect(seen).toEqual(statuses)
  })

  test.each([
    ['for another audience', () => sign({}, { audience: 'payroll' })],
    ['that has expired', () => sign({}, { expires: '-1m' })],
    ['signed with another key', () => sign({}, { secret: randomBytes(32).toString('hex') })],
    ['without a tenant', () => sign({ tenantId: 7 })],
  ])('is refused with a token %s', async (_, token) => {
    expect((await ask('/me', { authorization: `Bearer ${await token()}` })).status).toBe(401)
  })

  test('is allowed with a token of the script', async () => {
    const script = fileURLToPath(new URL('../scripts/token.js', import.meta.url))
    const token = execFileSync(process.execPath, [script, 'kim', 'south', 'admin'], { encoding: 'utf8' })
    const { body } = await ask('/me', { authorization: `Bearer ${token.trim()}` })
    expect(body.data).toEqual({ id: 'kim', email: 'kim@example.com', tenantId: 'south', role: 'admin' })
  })

  test('with an unknown role is that of a member', async () => {
    const { body } = await ask('/me', { authorization: `Bearer ${await sign({ role: 'root' })}` })
    expect(body.data).toEqual({ id: 'ada', email: 'ada@example.com', tenantId: 'north', role: 'member' })
  })
})

describe('a sales report', () => {
  const report = (headers: Record<string, string>, options = {}) =>
    ask('/workflows/sales-report/execute', headers, { input: { month: '2026-10' }, options })

  test("adds up the user's own tenant", async () => {
    const { body } = await report(member)
    const result = {
      month: '2026-10',
      tenantId: 'north',
      sales: 2,
      cents: 174_900,
      madeFor: 'ada@example.com',
    }
    expect(body.data).toMatchObject({ status: 'completed', result })
    const south = { authorization: `Bearer ${await sign({ tenantId: 'south' })}` }
    expect((await report(south)).body.data.result).toMatchObject({ tenantId: 'south', cents: 990_000 })
  })

  test('ignores the user in the body', async () => {
    const { body } = await report(member, { userId: 'grace', context: { tenantId: 'south' } })
    expect(body.data.result).toMatchObject({ tenantId: 'north', madeFor: 'ada@example.com' })
  })

  test('needs a token', async () => {
    expect((await report({})).status).toBe(401)
    expect((await report(operator)).status).toBe(401)
  })
})
