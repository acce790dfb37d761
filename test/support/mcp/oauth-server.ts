import { createMcpServer } from 'agentserver'
import { createHash, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { whoami } from '../server/sample-tools.ts'
import { TestServer } from '../server/test-server.ts'

interface Grant {
  readonly clientId: string
  readonly scope: string
}

/**
 * An OAuth authorization server (RFC 6749, 7591, 7636, 8414, 9207) whose user agrees to everything, and an MCP server at
 * `/mcp` that takes its tokens. Refresh tokens are rotated: one that was used is refused.
 */
export class OAuthServer {
  /** Whether the user agrees. */
  agrees = true
  /** Requests of tokens, by grant type. */
  readonly granted: string[] = []
  /** Scopes that were requested at the login page. */
  readonly requestedScopes: (string | null)[] = []
  readonly registered: Record<string, unknown>[] = []
  readonly tokens = new Map<string, Grant>()
  readonly #refreshTokens = new Map<string, Grant>()
  readonly #codes = new Map<string, Grant & { challenge: string; redirectUri: string }>()
  readonly #http = createServer((request, response) => {
    void this.#answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error))
    })
  })
  readonly #mcp = new TestServer({
    workflows: [],
    mcpServers: [createMcpServer({ id: 'mcp', name: 'Protected', tools: [whoami] })],
    authNext: {
      provider: { type: 'test', verifyToken: (token) => (this.tokens.has(token) ? { id: 'ada' } : null) },
    },
  })

  get origin(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`
  }

  /** The URL of the MCP server. */
  get url(): string {
    return `${this.origin}/mcp`
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve))
  }

  /** All access tokens have expired. */
  expire(): void {
    this.tokens.clear()
  }

  /** The user has to log in again. */
  revoke(): void {
    this.expire()
    this.#refreshTokens.clear()
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections()
    await new Promise((resolve) => this.#http.close(resolve))
    await this.#mcp.close()
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.origin)
    const body = await text(request)
    switch (url.pathname) {
      case '/.well-known/oauth-protected-resource/mcp':
        return json(response, {
          resource: this.url,
          authorization_servers: [this.origin],
          scopes_supported: ['read', 'write'],
        })
      case '/.well-known/oauth-authorization-server':
        return json(response, {
          issuer: this.origin,
          authorization_endpoint: `${this.origin}/authorize`,
          token_endpoint: `${this.origin}/token`,
          registration_endpoint: `${this.origin}/register`,
          response_types_supported: ['code'],
          grant_types_supported: ['authorization_code', 'refresh_token'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
          scopes_supported: ['read', 'write', 'offline_access'],
          authorization_response_iss_parameter_supported: true,
        })
      case '/register': {
        const client = { ...(JSON.parse(body) as object), client_id: `client-${this.registered.length}` }
        this.registered.push(client)
        return json(response, client, 201)
      }
      case '/authorize':
        return this.#authorize(url.searchParams, response)
      case '/token':
        return this.#token(new URLSearchParams(body), response)
      default:
        return this.#forward(request, body, response)
    }
  }

  #authorize(query: URLSearchParams, response: ServerResponse): void {
    const redirectUri = query.get('redirect_uri') ?? ''
    this.requestedScopes.push(query.get('scope'))
    const location = new URL(redirectUri)
    location.searchParams.set('state', query.get('state') ?? '')
    location.searchParams.set('iss', this.origin)
    if (this.agrees) {
      const code = randomUUID()
      const challenge = query.get('code_challenge') ?? ''
      const [clientId, scope] = [query.get('client_id') ?? '', query.get('scope') ?? '']
      this.#codes.set(code, { clientId, scope, challenge, redirectUri })
      location.searchParams.set('code', code)
    } else location.searchParams.set('error', 'access_denied')
    response.writeHead(302, { location: location.href }).end()
  }

  #token(form: URLSearchParams, response: ServerResponse): void {
    const type = form.get('grant_type') ?? ''
    this.granted.push(type)
    const grant = type === 'refresh_token' ? this.#refreshed(form) : this.#exchanged(form)
    if (!grant || grant.clientId !== form.get('client_id'))
      return json(response, { error: 'invalid_grant' }, 400)
    const { clientId, scope } = grant
    const [access, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`]
    this.tokens.set(access, { clientId, scope })
    this.#refreshTokens.set(refresh, { clientId, scope })
    return json(response, {
      access_token: access,
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: refresh,
      scope,
    })
  }

  #refreshed(form: URLSearchParams): Grant | undefined {
    const token = form.get('refresh_token') ?? ''
    const grant = this.#refreshTokens.get(token)
    this.#refreshTokens.delete(token)
    return grant
  }

  #exchanged(form: URLSearchParams): Grant | undefined {
    const code = form.get('code') ?? ''
    const found = this.#codes.get(code)
    this.#codes.delete(code)
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const fits = found?.challenge === challenge && found.redirectUri === form.get('redirect_uri')
    return fits ? found : undefined
  }

  async #forward(request: IncomingMessage, body: string, response: ServerResponse): Promise<void> {
    const headers = Object.entries(request.headers).flatMap(([name, value]) =>
      typeof value === 'string' && !['host', 'connection', 'content-length'].includes(name)
        ? [[name, value] as [string, string]]
        : [],
    )
    const answer = await this.#mcp.fetch(
      new Request(`http://localhost/mcp/mcp`, {
        method: request.method ?? 'GET',
        headers,
        ...(body !== '' && { body }),
      }),
    )
    const metadata = `${this.origin}/.well-known/oauth-protected-resource/mcp`
    const challenge = { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }
    const type = answer.headers.get('content-type') ?? 'application/json'
    response.writeHead(answer.status, { 'content-type': type, ...(answer.status === 401 && challenge) })
    if (answer.body) Readable.fromWeb(answer.body).pipe(response)
    else response.end()
  }
}

function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}
