import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { AgentServerConfig } from 'agentserver'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { resolveConfig } from '../../src/config/config.ts'
import type { Endpoint } from '../../src/contract/endpoint.ts'
import { ENDPOINT_LIST } from '../../src/contract/index.ts'
import { programLoad } from '../../src/server/current-generation.ts'
import { listen } from '../../src/server/listen.ts'
import { LiveServer } from '../../src/server/live-server.ts'
import { DEV, KEY, bearer, keyHeader, provider, tokenOf } from '../support/server/guarded-server.ts'
import { collectLogs } from '../support/telemetry/collect-logs.ts'

const TOKEN = 'the token of the project'
const NOBODY = 65_534
const run = promisify(execFile)

/** Endpoints that change the project or the machine. GET /updates runs the package manager. */
const GUARDED = ENDPOINT_LIST.map(([, endpoint]) => endpoint).filter(
  ({ group, method }) =>
    group === 'setup' || group === 'updates' || (group === 'observability' && method !== 'GET'),
)

/** A server on a port, as `agentserver dev` makes it. */
async function serve(
  config: AgentServerConfig = {},
  options: { projectToken?: string } = { projectToken: TOKEN },
) {
  vi.stubEnv('SERVICE_CONSOLE_ACCESS_KEY', KEY)
  const root = mkdtempSync(path.join(tmpdir(), 'agentserver-token-'))
  const { logs, printed } = collectLogs()
  const server = new LiveServer({ root, production: false, logs, ...options })
  await server.serve(resolveConfig({ database: ':memory:', ...config }, 'test'), programLoad())
  const limits = { requestTimeoutMs: 5000, maxConnections: 100 }
  const handlers = { fetch: server.app.fetch, upgrade: server.upgrades.handle, logger: logs.logger }
  const bound = await listen(handlers, { port: 0, host: '127.0.0.1', limits })
  onTestFinished(async () => {
    await server.stop()
    await bound.close(0)
    rmSync(root, { recursive: true, force: true })
    vi.unstubAllEnvs()
  })
  /** The response to a request that, once it is admitted, fails: its body is no JSON. */
  const status = async ({ method, path: route }: Endpoint, headers: http.OutgoingHttpHeaders = {}) => {
    const target = `${bound.url}${route.replaceAll(/:\w+/g, 'some')}`
    return new Promise<number>((resolve, reject) => {
      const request = http.request(target, { method, headers }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0))
      })
      request.on('error', reject).end(method === 'POST' || method === 'PUT' ? 'no JSON' : undefined)
    })
  }
  return {
    ...bound,
    server,
    logs,
    printed,
    status,
    page: { origin: bound.url, 'sec-fetch-site': 'same-origin' },
  }
}

it('the endpoints that change the project are those for keys, updates, evals, trials, cases, pins and approvals', () => {
  const paths = GUARDED.map((endpoint) => `${endpoint.method} ${endpoint.path}`)
  expect(paths).toEqual(
    expect.arrayContaining([
      'POST /setup-observability',
      'GET /updates',
      'POST /updates',
      'POST /evals/:id/run',
      'POST /observability/agents/:id/trials',
      'POST /observability/executions/:executionId/case',
    ]),
  )
})

describe.each(GUARDED.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  '%s under dev',
  (_, endpoint) => {
    it("is refused to pages, also the server's own, without the project's token", async () => {
      const { status, page } = await serve()
      expect(await status(endpoint, page)).toBe(403)
      expect(await status(endpoint, { 'sec-fetch-site': 'none' })).toBe(403)
      expect(await status(endpoint, { ...page, 'x-project-token': `${TOKEN}.` })).toBe(403)
      expect(await status(endpoint, { ...page, 'x-project-token': TOKEN })).not.toBe(403)
    })

    it('is open to programs of the same user, as without authentication all routes are', async () => {
      const { status } = await serve()
      expect(await status(endpoint)).not.toBe(403)
    })

    it('needs the token beside the development bypass, and not beside a credential', async () => {
      const { status, page } = await serve({ authNext: { provider: provider() } })
      expect(await status(endpoint, { ...page, ...DEV })).toBe(403)
      expect(await status(endpoint, DEV)).not.toBe(403)
      const credential = endpoint.group === 'setup' ? bearer(await tokenOf()) : keyHeader()
      expect([401, 403]).not.toContain(await status(endpoint, { ...page, ...credential }))
    })
  },
)

it.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
  'programs of other users of the machine need the token for what changes the project, and for nothing else',
  async () => {
    const { url } = await serve({ authNext: { provider: provider() } })
    const code = `
      const ask = (path, method, headers) => new Promise((resolve) =>
        require('node:http')
          .request('${url}' + path, { method, headers: { 'x-service-dev': 'true', ...headers } }, (response) =>
            response.resume().on('end', () => resolve(response.statusCode)))
          .end(method === 'GET' ? undefined : 'no JSON'))
      Promise.all([
        ask('/setup-observability', 'POST'),
        ask('/setup-observability', 'POST', { 'x-project-token': '${TOKEN}' }),
        ask('/workflows', 'GET'),
      ]).then((statuses) => console.log(JSON.stringify(statuses)))`
    const { stdout } = await run(process.execPath, ['-e', code], { uid: NOBODY, gid: NOBODY, cwd: '/' })
    expect(JSON.parse(stdout)).toEqual([403, 415, 200])
  },
)

it('programs of other machines have no development bypass, and need the token, whatever their headers say', async () => {
  const guarded = await serve({ authNext: { provider: provider() } })
  const open = await serve()
  const ask = async ({ server }: typeof open, target: string, headers = {}, remoteAddress?: string) => {
    const incoming = {
      rawHeaders: [],
      socket: { remoteAddress, remotePort: 5, localAddress: '', localPort: 6 },
    }
    const method = target === '/workflows' ? 'GET' : 'POST'
    const request = new Request(`http://localhost:3141${target}`, { method, headers })
    return (await server.app.fetch(request, { incoming })).status
  }
  for (const remote of ['192.168.1.21', '::ffff:10.0.0.1', undefined]) {
    const forged = { ...DEV, 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1' }
    expect(await ask(guarded, '/workflows', forged, remote)).toBe(401)
    expect(await ask(open, '/workflows', {}, remote)).toBe(200)
    expect(await ask(open, '/setup-observability', forged, remote)).toBe(403)
    expect(await ask(open, '/setup-observability', { 'x-project-token': TOKEN }, remote)).toBe(400)
  }
  expect(await ask(guarded, '/workflows', DEV, '127.0.0.1')).toBe(200)
})

it('a server that is not started by dev has no project token', async () => {
  const { status, page } = await serve({}, {})
  for (const endpoint of GUARDED) expect(await status(endpoint, page)).not.toBe(403)
})

it('the token is redacted from the log', async () => {
  const { logs, printed } = await serve()
  logs.logger.info(`a page sent ${TOKEN}`)
  expect(printed.map(({ message }) => message)).toEqual(['a page sent [redacted]'])
})
