import fs from 'node:fs'
import { parse } from 'dotenv'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { PackageRegistry, npmProject } from '../support/project/package-registry.ts'
import type { TempProject } from '../support/project/temp-project.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const registry = new PackageRegistry({
  fix: { versions: ['1.0.0', '1.0.1'] },
  '@acme/fix': { versions: ['1.0.0', '1.0.1'] },
})
let project: TempProject
let server: TestServer

beforeAll(async () => {
  await registry.listen()
  for (const [name, value] of Object.entries(registry.env)) vi.stubEnv(name, value)
})
afterAll(() => registry.close())

beforeEach(() => {
  const installed = { fix: '1.0.0', '@acme/fix': '1.0.0' }
  project = npmProject({ dependencies: { fix: '^1.0.0', '@acme/fix': '^1.0.0' } }, installed)
  server = new TestServer({}, { root: project.root })
})
afterEach(async () => {
  await server.close()
  project.remove()
})

describe('POST /setup-observability', () => {
  it('writes the keys and returns their names', async () => {
    const body = { publicKey: 'pk-1', secretKey: 'sk-1', endpoint: 'http://otel:4318', SERVICE_EVIL: 'x' }
    expect(await dataOf(server.post('/setup-observability', body))).toEqual({
      envFile: '.env',
      keys: ['SERVICE_PUBLIC_KEY', 'SERVICE_SECRET_KEY', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
      restartRequired: false,
    })
    expect(Object.keys(parse(project.read('.env')))).toHaveLength(3)
  })

  it.each([
    ['publicKey', 'hunter2\nEVIL=1'],
    ['secretKey', 'hunter2"; id; "'],
    ['secretKey', 17],
    ['secretKey', undefined],
    ['endpoint', 'ftp://hunter2'],
  ])('refuses %s = %j without repeating the value', async (name, value) => {
    const body = { publicKey: 'pk-1', secretKey: 'sk-1', [name]: value }
    const message = await refusalOf(server.post('/setup-observability', body), 400)
    expect(message).toContain(name)
    expect(message).not.toContain('hunter2')
    expect(fs.existsSync(project.path('.env'))).toBe(false)
  })

  it('refuses a .env that is not a file, without disclosing a path', async () => {
    fs.mkdirSync(project.path('.env'))
    const body = { publicKey: 'pk-1', secretKey: 'sk-1' }
    const message = await refusalOf(server.post('/setup-observability', body), 409)
    expect(message).toBe('.env is a directory')
  })
})

describe('GET /updates', () => {
  it('checks once for concurrent requests, and again later', async () => {
    registry.requests.length = 0
    const ask = () => dataOf<{ count: number }>(server.request('/updates'))
    const answers = await Promise.all([ask(), ask(), ask()])
    expect(answers.map(({ count }) => count)).toEqual([2, 2, 2])
    expect(registry.requests.toSorted()).toEqual(['/@acme/fix', '/fix'])
    await ask()
    expect(registry.requests).toHaveLength(4)
  })
})

describe('POST /updates/:packageName', () => {
  it.each(['/updates/@acme/fix', '/updates/@acme%2Ffix', '/updates/%40acme%2ffix'])(
    'accepts a scoped name as %s',
    async (path) => {
      expect(await dataOf(server.request(path, { method: 'POST' }))).toEqual({
        updated: [{ name: '@acme/fix', from: '1.0.0', to: '1.0.1' }],
        restartRequired: true,
      })
    },
  )

  it.each([
    '/updates/-g',
    '/updates/--registry=http:%2F%2Fevil.example',
    '/updates/..%2F..%2Fevil',
    '/updates/%2e%2e%2fevil',
    '/updates/https:%2F%2Fevil.example%2Fa.tgz',
    '/updates/npm:evil@1',
    '/updates/fix@latest',
    '/updates/fix%20evil',
    '/updates/fix%00',
    '/updates/@acme/..%2Fevil',
    '/updates/%2D%2Dglobal/fix',
  ])('refuses %s', async (path) => {
    expect(await refusalOf(server.request(path, { method: 'POST' }), 400)).toMatch(
      /^(?:packageName|scope): Must be/,
    )
  })

  it.each(['/updates/undeclared', '/updates/@acme/undeclared', '/updates/constructor'])(
    'returns 404 for %s',
    async (path) => {
      expect(await refusalOf(server.request(path, { method: 'POST' }), 404)).toContain(
        'not found in package.json',
      )
    },
  )

  it('is refused in production unless allowInstall is set', async () => {
    const production = new TestServer({}, { root: project.root, production: true })
    for (const path of ['/updates', '/updates/fix', '/updates/@acme/fix'])
      expect(await refusalOf(production.request(path, { method: 'POST' }), 403)).toContain(
        'updates.allowInstall',
      )
    await production.close()
    const config = { updates: { allowInstall: true } }
    const allowed = new TestServer(config, { root: project.root, production: true })
    expect(await refusalOf(allowed.request('/updates/undeclared', { method: 'POST' }), 404)).toContain(
      'undeclared',
    )
    await allowed.close()
  })
})
