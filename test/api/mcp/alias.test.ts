import { createMcpServer } from 'agentserver'
import { afterAll, describe, expect, it } from 'vitest'
import { GuardedServer, bearer, keyHeader, provider, tokenOf } from '../../support/server/guarded-server.ts'
import { add } from '../../support/server/sample-tools.ts'
import { dataOf, refusalOf } from '../../support/server/responses.ts'
import { TestServer } from '../../support/server/test-server.ts'

const mcpServers = ['shop', 'mcp'].map((id) => createMcpServer({ id, name: id, tools: [add] }))
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
const accept = { accept: 'application/json, text/event-stream' }

describe('the alias /mcp/:serverId/mcp', () => {
  const server = new TestServer({ mcpServers })
  afterAll(() => server.close())

  it.each(['/mcp/shop', '/mcp/shop/mcp', '/mcp/mcp', '/mcp/mcp/mcp'])(
    'answers like the address of the server: %s',
    async (path) => {
      const response = await server.post(path, ping, accept)
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('"result":{}')])
      const stream = await server.request(path)
      expect(stream.headers.get('content-type')).toBe('text/event-stream')
      await stream.body?.cancel()
    },
  )

  it('does not hide the detail of a server with the id "mcp"', async () => {
    expect(await dataOf(server.request('/mcp/servers/mcp'))).toMatchObject({ id: 'mcp', url: '/mcp/mcp' })
  })

  it('refuses unknown servers and other methods', async () => {
    expect(await refusalOf(server.post('/mcp/none/mcp', ping), 404)).toContain('MCP server not found: none')
    const response = await server.request('/mcp/shop/mcp', { method: 'DELETE' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, GET, HEAD'])
  })
})

describe('the access of the alias', () => {
  it.each([
    ['user routes', {}, [401, 200, 401]],
    ['a console route', { consoleRoutes: ['POST /mcp/shop'] }, [401, 401, 200]],
    ['a public route', { publicRoutes: ['POST /mcp/shop'] }, [200, 200, 200]],
  ])('is that of the address: %s', async (_, lists, statuses) => {
    const server = new GuardedServer({ mcpServers, authNext: { provider: provider(), ...lists } })
    const credentials = [{}, bearer(await tokenOf()), keyHeader()]
    for (const path of ['/mcp/shop', '/mcp/shop/mcp']) {
      const found = []
      for (const headers of credentials)
        found.push(
          (await server.request(path, { method: 'POST', json: ping, headers: { ...accept, ...headers } }))
            .status,
        )
      expect([path, found]).toEqual([path, statuses])
    }
    await server.close()
  })
})
