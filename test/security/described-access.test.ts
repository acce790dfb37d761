import { Validator } from '@seriousme/openapi-schema-validator'
import { DEFAULT_CONSOLE_ROUTES } from 'agentserver'
import type { AgentServerConfig } from 'agentserver'
import { describe, expect, it } from 'vitest'
import { DEV, GuardedServer, bearer, keyHeader, provider, tokenOf } from '../support/server/guarded-server.ts'
import type { GuardedServerOptions } from '../support/server/guarded-server.ts'

interface Operation {
  readonly 'x-access': string
  readonly security: readonly object[]
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
}
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const headers = { ...keyHeader(), ...bearer(await tokenOf()) }

async function describedBy(
  config: AgentServerConfig,
  options: GuardedServerOptions = {},
): Promise<Description> {
  const server = new GuardedServer(config, options)
  const response = await server.request('/doc', {
    headers: options.consoleKey === undefined && 'consoleKey' in options ? DEV : headers,
  })
  const text = await response.text()
  await server.close()
  expect(response.status).toBe(200)
  return JSON.parse(text) as Description
}

/** The alternatives of a route, each with its credentials, sorted. */
const ways = ({ paths }: Description, method: string, path: string) =>
  paths[path]?.[method]?.security.map((schemes) => Object.keys(schemes).toSorted().join('+'))

describe('the API description', () => {
  it('lists the credentials of each route under authNext', async () => {
    const described = await describedBy({ authNext: { provider: provider(), publicRoutes: ['GET /hello'] } })
    expect(ways(described, 'get', '/workflows')).toEqual(['consoleKey', 'developmentBypass'])
    expect(ways(described, 'post', '/workflows/{id}/execute')).toEqual(['userToken', 'developmentBypass'])
    expect(ways(described, 'get', '/healthz')).toEqual([])
    expect(ways(described, 'get', '/hello')).toEqual([])
    expect(ways(described, 'get', '/shop')).toEqual(['userToken', 'developmentBypass'])
  })

  it('lists no bypass in production, where setup-observability requires key and token', async () => {
    const described = await describedBy({ authNext: { provider: provider() } }, { production: true })
    expect(ways(described, 'get', '/workflows')).toEqual(['consoleKey'])
    expect(ways(described, 'post', '/setup-observability')).toEqual(['consoleKey+userToken'])
    expect(JSON.stringify(described.paths)).not.toContain('developmentBypass')
  })

  it('lists the credentials of each route under auth, and none without authentication', async () => {
    const legacy = await describedBy({ auth: provider() })
    expect(ways(legacy, 'get', '/workflows')).toEqual([])
    expect(ways(legacy, 'get', '/updates')).toEqual(['consoleKey', 'userToken', 'developmentBypass'])
    expect(ways(legacy, 'get', '/hello')).toEqual([])
    const privately = await describedBy({ auth: provider({ defaultPrivate: true }) })
    expect(ways(privately, 'get', '/hello')).toEqual(['userToken', 'developmentBypass'])
    const open = await describedBy({}, { production: true })
    const operations = Object.values(open.paths).flatMap((methods) => Object.values(methods))
    expect(operations.filter(({ security }) => security.length > 0)).toEqual([])
  })

  it('follows the configured console routes, and keeps the access class of the contract', async () => {
    const consoleRoutes = [...DEFAULT_CONSOLE_ROUTES, 'GET /admin/*']
    const more = await describedBy({ authNext: { provider: provider(), consoleRoutes } })
    expect(ways(more, 'get', '/admin/users')).toEqual(['consoleKey', 'developmentBypass'])
    expect(more.paths['/admin/users']?.['get']?.['x-access']).toBe('console')
    const publicRoutes = ['GET /doc']
    const other = await describedBy({ authNext: { provider: provider(), consoleRoutes: [], publicRoutes } })
    expect(ways(other, 'get', '/workflows')).toEqual(['userToken', 'developmentBypass'])
    expect(other.paths['/workflows']?.['get']?.['x-access']).toBe('console')
  })

  it('lists custom routes without their middleware, and stays valid', async () => {
    const server = new GuardedServer({
      configureApp: (app) => {
        app.use('*', async (_, next) => next())
        app.use('/private/*', async (_, next) => next())
        app.all('/any', (c) => c.text('any'))
        app.get('/files/*', (c) => c.text('file'))
        app.get('/items/:id{[0-9]+}/:part?', (c) => c.text('item'))
        app.delete('/workflows/:name', (c) => c.text('gone'))
        app.on('PURGE', '/cache', (c) => c.text('purged'))
        app.route(
          '/sub',
          app.basePath('/deep').get('/x', (c) => c.text('x')),
        )
      },
    })
    const text = await (await server.request('/doc')).text()
    await server.close()
    const { paths } = JSON.parse(text) as Description
    expect(Object.keys(paths['/any'] ?? {})).toEqual(['get', 'put', 'post', 'delete', 'patch'])
    expect(paths['/files/{rest}']?.['get']?.parameters).toMatchObject([{ name: 'rest', in: 'path' }])
    expect(paths['/items/{id}/{part}']?.['get']?.parameters).toMatchObject([{ name: 'id' }, { name: 'part' }])
    expect(Object.keys(paths['/workflows/{id}'] ?? {})).toEqual(['get', 'delete'])
    const isOwn = (path: string) => !/^\/(?:console|ws)\//.test(path)
    const middleware = Object.keys(paths).filter((path) => isOwn(path) && /\*|private/.test(path))
    expect(middleware).toEqual([])
    const result = await new Validator().validate(JSON.parse(text) as Record<string, unknown>)
    expect(result.errors ?? []).toEqual([])
  })

  it('lists the WebSocket endpoints with their credentials', async () => {
    const server = new GuardedServer({
      webSockets: { '/rooms/:room': () => undefined, '/open': () => undefined },
      authNext: { provider: { type: 'none', verifyToken: () => null }, publicRoutes: ['WS /open'] },
    })
    const text = await (await server.request('/doc', { headers: { 'x-service-dev': 'true' } })).text()
    await server.close()
    const described = JSON.parse(text) as { 'x-websockets': Record<string, unknown> }
    const ofConsoles = { 'x-access': 'console', security: [{ consoleKey: [] }, { developmentBypass: [] }] }
    expect(described['x-websockets']).toEqual({
      '/ws': ofConsoles,
      '/ws/logs': ofConsoles,
      '/ws/observability/**': ofConsoles,
      '/rooms/:room': { 'x-access': 'user', security: [{ userToken: [] }, { developmentBypass: [] }] },
      '/open': { 'x-access': 'public', security: [] },
    })
    const result = await new Validator().validate(JSON.parse(text) as Record<string, unknown>)
    expect(result.errors ?? []).toEqual([])
  })
})
