import {
  auth,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
} from '@modelcontextprotocol/client'
import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import { createMcpServer } from 'agentserver'
import type { AuthNext } from 'agentserver'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { add } from '../../support/server/sample-tools.ts'
import { listening } from '../../support/server/listening.ts'
import { refusalOf } from '../../support/server/responses.ts'
import { TestServer } from '../../support/server/test-server.ts'

const ISSUERS = ['https://login.example.com', 'https://other.example.com/tenant']
const METADATA = '/.well-known/oauth-protected-resource'
const shop = createMcpServer({ id: 'shop', name: 'Shop', tools: [add] })
const verifyToken = (given: string) => (given === 'a-token' ? { id: 'grace' } : null)
const authNext: AuthNext = {
  provider: { type: 'test', verifyToken },
  authorizationServers: ISSUERS,
}

const server = new TestServer({ workflows: [], mcpServers: [shop], authNext })
const at = listening(server)

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
const post = (path: string, headers: Record<string, string> = {}) =>
  fetch(at(path), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(ping),
  })

describe('a server with authNext.authorizationServers', () => {
  it.each(['/mcp/shop', '/mcp/shop/mcp'])('names the metadata in the 401 of %s', async (path) => {
    const response = await post(path)
    expect(response.status).toBe(401)
    const { resourceMetadataUrl } = extractWWWAuthenticateParams(response)
    expect(resourceMetadataUrl?.href).toBe(at(METADATA + path))
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer /)
  })

  it('names it for a wrong token, an unknown server, a GET and a DELETE, too', async () => {
    const refused = await Promise.all([
      post('/mcp/shop', { authorization: 'Bearer wrong' }),
      post('/mcp/nobody'),
      fetch(at('/mcp/shop')),
      fetch(at('/mcp/shop'), { method: 'DELETE' }),
    ])
    for (const response of refused) {
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toContain(`resource_metadata="${at(METADATA)}/mcp/`)
    }
  })

  it.each(['/mcp/shop', '/mcp/shop/mcp'])('is discovered by the SDK from %s', async (path) => {
    const found = await discoverOAuthProtectedResourceMetadata(at(path))
    expect(found).toEqual({
      resource: at(path),
      authorization_servers: ISSUERS,
      bearer_methods_supported: ['header'],
    })
  })

  it('has metadata of itself', async () => {
    const response = await fetch(at(METADATA))
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toMatchObject({
      resource: at(''),
      authorization_servers: ISSUERS,
    })
  })

  it('leaves other 401 responses as they are', async () => {
    const user = await fetch(at('/workflows/x/execute'), { method: 'POST' })
    expect(user.headers.get('www-authenticate')).toBe('Bearer realm="agentserver"')
    const lists = await fetch(at('/mcp/servers'))
    expect(lists.headers.get('www-authenticate')).toBe('ConsoleKey realm="agentserver"')
  })

  it('has no metadata of a server that it does not serve', async () => {
    expect(await refusalOf(fetch(at(`${METADATA}/mcp/nobody`)), 404)).toBe('MCP server not found: nobody')
    expect(await refusalOf(fetch(at(`${METADATA}/workflows/x`)), 401)).toContain('token')
  })

  it('uses the origin of a trusted proxy only', async () => {
    const forwarded = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
    const response = await fetch(at(`${METADATA}/mcp/shop`), { headers: forwarded })
    expect(await response.json()).toMatchObject({
      resource: at('/mcp/shop').replace('http:', 'https:'),
    })
  })

  it('leads the SDK through discovery to the login of the authorization server', async () => {
    const issuer = createServer((request, response) => {
      const { port } = issuer.address() as AddressInfo
      const origin = `http://127.0.0.1:${port}`
      const known = request.url === '/.well-known/oauth-authorization-server'
      response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify({
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
        }),
      )
    })
    await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve))
    const { port } = issuer.address() as AddressInfo
    const own = new TestServer({
      mcpServers: [shop],
      authNext: { ...authNext, authorizationServers: [`http://127.0.0.1:${port}`] },
    })
    const bound = await own.listen()
    const url = `${bound.url}/mcp/shop`
    let login: URL | undefined
    const client: OAuthClientProvider = {
      redirectUrl: 'http://127.0.0.1:1/callback',
      clientMetadata: { redirect_uris: ['http://127.0.0.1:1/callback'] },
      clientInformation: () => ({ client_id: 'inspector' }),
      tokens: () => undefined,
      saveTokens: () => undefined,
      saveCodeVerifier: () => undefined,
      codeVerifier: () => '',
      redirectToAuthorization: (to) => {
        login = to
      },
    }
    const { resourceMetadataUrl } = extractWWWAuthenticateParams(
      await fetch(url, { method: 'POST', body: '{}' }),
    )
    expect(await auth(client, { serverUrl: url, ...(resourceMetadataUrl && { resourceMetadataUrl }) })).toBe(
      'REDIRECT',
    )
    expect(login?.href).toContain(`http://127.0.0.1:${port}/authorize?`)
    expect(login?.searchParams.get('resource')).toBe(url)
    await bound.close(0)
    await own.close()
    issuer.close()
  })
})

describe('a server without authNext.authorizationServers', () => {
  const { authorizationServers: _, ...plain } = authNext
  const closed = new TestServer({ mcpServers: [shop], authNext: plain })
  const open = new TestServer({ mcpServers: [shop] })
  const ownRoute = new TestServer(
    {
      mcpServers: [shop],
      configureApp: (app) => void app.get(METADATA, (c) => c.json({ own: true })),
    },
    { described: false },
  )
  afterAll(() => Promise.all([closed, open, ownRoute].map((one) => one.close())))

  it('has no metadata, and its 401 names none', async () => {
    const refused = await closed.request('/mcp/shop', { method: 'POST', json: ping })
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toBe('Bearer realm="agentserver"')
    expect((await closed.request(METADATA)).status).toBe(401)
    await refusalOf(open.request(METADATA), 404)
    await refusalOf(open.request(`${METADATA}/mcp/shop`), 404)
    await refusalOf(open.request(METADATA, { method: 'POST' }), 404)
  })

  it('leaves the paths to custom routes', async () => {
    await ownRoute.ready()
    expect(await (await ownRoute.request(METADATA)).json()).toEqual({ own: true })
  })
})

describe('authNext.authorizationServers', () => {
  const made = (authorizationServers: unknown) => () =>
    new TestServer({ authNext: { ...authNext, authorizationServers: authorizationServers as string[] } })
  it.each([
    [[]],
    ['https://login.example.com'],
    [['login.example.com']],
    [['http://login.example.com']],
    [['https://login.example.com?tenant=1']],
    [['https://login.example.com#a']],
    [['https://a:b@login.example.com']],
    [[7]],
  ])('is refused when it is %j', (value) => {
    expect(made(value)).toThrow('authNext.authorizationServers')
  })
})
