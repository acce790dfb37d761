import type {
  AuthProvider,
  OAuthClientMetadata,
  OAuthClientProvider,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createDeferred } from '../../../lib/async/wake-up.ts'
import { delay } from '../../../lib/clock.ts'
import { AppError, messageOf } from '../../../lib/errors.ts'
import { secretsIn } from '../../../lib/redact/known-secrets.ts'
import { limitedFetch } from '../limited-fetch.ts'
import { CredentialFile } from './credential-file.ts'

export interface OAuthLoginOptions {
  /** The MCP server. */
  readonly url: string
  /** Id of a registered client. Default: dynamic registration. */
  readonly clientId: string | undefined
  /** Scopes to request, instead of those that the resource names. */
  readonly scopes: readonly string[] | undefined
  /** Where the authorization server sends the user back to; `undefined` while this server does not listen on loopback. */
  readonly redirectUrl: () => string | undefined
  /** Called when {@link OAuthLogin.secrets} has changed. */
  readonly onSecrets: () => void
}

/** A login that waits for the user. */
interface PendingLogin {
  readonly state: string
  readonly provider: OAuthClientProvider
  readonly link: string
}

/** What the 401 of the server has said about logins. */
interface Challenge {
  readonly resourceMetadataUrl?: URL
  readonly scope?: string
}

const STATE_BYTES = 32
/** A refresh has none, but the SDK requires one. */
const REFRESH_URL = 'http://127.0.0.1/'
/** Ports that servers of a user had. */
const MAX_CLIENTS = 10
const REQUEST_TIMEOUT_MS = 15_000
const MAX_RESPONSE_BYTES = 1024 * 1024
const FILE_POLL_MS = 1000
/** A login can also be needed because its authorization server was away. */
const RETRY_MS = 30_000
/** Tokens of before are redacted, too. */
const MAX_SECRETS = 60

/**
 * The login of this machine's user at an MCP server, by the OAuth client of the SDK: discovery, registration, PKCE and
 * refresh. Of several processes whose token has expired, one refreshes it and the others read what it has stored.
 */
export class OAuthLogin {
  readonly #options: OAuthLoginOptions
  readonly #file: CredentialFile
  #challenge: Challenge = {}
  /** The token of the last request. */
  #sent: string | undefined
  #isNeeded = false
  #pending: PendingLogin | undefined
  #starting: Promise<PendingLogin> | undefined
  #finished = createDeferred<void>()
  #secrets: readonly string[] = []

  constructor(options: OAuthLoginOptions) {
    this.#options = options
    this.#file = new CredentialFile(options)
  }

  /** Whether the user has to log in before the server can be used. */
  get isNeeded(): boolean {
    return this.#isNeeded
  }

  /** The tokens, to be redacted. */
  get secrets(): readonly string[] {
    return this.#secrets
  }

  /** Adds the token to requests, and refreshes it when it is refused. */
  readonly authProvider: AuthProvider = {
    token: async () => {
      const { tokens } = this.#file.read()
      this.#redact(tokens)
      this.#sent = tokens?.access_token
      return this.#sent
    },
    onUnauthorized: (context) => this.#renew(context),
  }

  /**
   * The address where the user logs in. It stays the same until it was used.
   *
   * @throws AppError `unavailable` when this server does not listen on loopback, or the authorization server fails
   */
  async start(): Promise<string> {
    if (this.#pending) return this.#pending.link
    this.#starting ??= this.#begin().finally(() => (this.#starting = undefined))
    this.#pending = await this.#starting
    return this.#pending.link
  }

  /** Whether a state is that of the login that waits. */
  matches(state: string): boolean {
    const [given, known] = [Buffer.from(state), Buffer.from(this.#pending?.state ?? '')]
    return known.length > 0 && given.length === known.length && timingSafeEqual(given, known)
  }

  /**
   * Ends the login that waits with the response of the authorization server (RFC 6749, section 4.1.2). A response counts
   * once.
   *
   * @throws AppError `forbidden` when the user was refused, `unavailable` when the code could not be exchanged
   */
  async finish(response: URLSearchParams): Promise<void> {
    const pending = this.#pending
    this.#pending = undefined
    try {
      const code = response.get('code')
      if (!pending || code === null) throw new AppError('forbidden', 'The login was refused')
      const mcp = await import('@modelcontextprotocol/client')
      const iss = response.get('iss')
      await this.#file.locked(() =>
        mcp.auth(pending.provider, {
          ...this.#request(),
          authorizationCode: code,
          ...(iss !== null && { iss }),
        }),
      )
      this.#isNeeded = false
    } catch (error) {
      if (error instanceof AppError) throw error
      throw new AppError('unavailable', 'The authorization server did not accept the login', { cause: error })
    } finally {
      this.#finished.resolve()
      this.#finished = createDeferred()
    }
  }

  /** Resolves when the user has logged in, here or in another process, and after half a minute. */
  async settled(signal: AbortSignal): Promise<void> {
    const end = new AbortController()
    const ends = AbortSignal.any([signal, end.signal])
    const changed = async () => {
      for (let waited = 0; waited < RETRY_MS && !ends.aborted; waited += FILE_POLL_MS) {
        if (this.#file.read().tokens?.access_token !== this.#sent) return
        await delay(FILE_POLL_MS, ends).catch(() => undefined)
      }
    }
    await Promise.race([this.#finished.promise, changed()])
    end.abort()
  }

  /** @throws UnauthorizedError of the SDK when the user has to log in. */
  async #renew({ response }: { readonly response: Response }): Promise<void> {
    const mcp = await import('@modelcontextprotocol/client')
    this.#challenge = mcp.extractWWWAuthenticateParams(response)
    const rejected = this.#sent
    await this.#file.locked(async () => {
      const { tokens } = this.#file.read()
      // another process has refreshed it, or the user has logged in there
      if (tokens && tokens.access_token !== rejected) return
      if (
        tokens?.refresh_token !== undefined &&
        (await mcp.auth(this.#refreshing(tokens), this.#request())) === 'AUTHORIZED'
      )
        return
      this.#isNeeded = true
      throw new mcp.UnauthorizedError('needs a login')
    })
    this.#isNeeded = false
  }

  /** What every call of the SDK's client gets. */
  #request() {
    const { url, scopes } = this.#options
    const { resourceMetadataUrl, scope } = this.#challenge
    const requested = scopes?.join(' ') ?? scope
    return {
      serverUrl: url,
      fetchFn: timedFetch,
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
      ...(requested !== undefined && { scope: requested }),
    }
  }

  async #begin(): Promise<PendingLogin> {
    const redirectUrl = this.#options.redirectUrl()
    if (redirectUrl === undefined)
      throw new AppError('unavailable', 'A login needs a server that listens on a loopback address')
    const mcp = await import('@modelcontextprotocol/client')
    const state = randomBytes(STATE_BYTES).toString('base64url')
    const links: URL[] = []
    let verifier = ''
    let discovered: Awaited<ReturnType<NonNullable<OAuthClientProvider['discoveryState']>>>
    const provider: OAuthClientProvider = {
      ...this.#client(redirectUrl),
      ...this.#registration(redirectUrl),
      state: () => state,
      tokens: () => undefined,
      saveCodeVerifier: (made) => {
        verifier = made
      },
      codeVerifier: () => verifier,
      saveDiscoveryState: (found) => {
        discovered = found
      },
      discoveryState: () => discovered,
      redirectToAuthorization: (link) => {
        links.push(link)
      },
    }
    try {
      await this.#file.locked(() => mcp.auth(provider, { ...this.#request(), forceReauthorization: true }))
    } catch (error) {
      throw new AppError('unavailable', `The login could not be started: ${messageOf(error)}`, {
        cause: error,
      })
    }
    const [link] = links
    if (!link || !/^https?:$/.test(link.protocol))
      throw new AppError('unavailable', 'The authorization server has no page to log in')
    const { scopes } = this.#options
    // the SDK adds scopes that the authorization server supports
    if (scopes) link.searchParams.set('scope', scopes.join(' '))
    return { state, provider, link: link.href }
  }

  /** The client that refreshes tokens, to which they were issued. It sends no user to a login. */
  #refreshing(tokens: StoredOAuthTokens): OAuthClientProvider {
    const { client } = this.#file.read()
    return {
      ...this.#client(REFRESH_URL),
      clientInformation: () => this.#known ?? client,
      tokens: () => this.#file.read().tokens && tokens,
      saveTokens: (renewed) => this.#store(renewed, client),
      saveCodeVerifier: () => undefined,
      codeVerifier: () => '',
      redirectToAuthorization: () => undefined,
    }
  }

  /** This program as a client of the authorization server. */
  #client(redirectUrl: string) {
    const { scopes } = this.#options
    const clientMetadata: OAuthClientMetadata = {
      client_name: 'agentserver',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...(scopes && { scope: scopes.join(' ') }),
    }
    return {
      redirectUrl,
      clientMetadata,
      invalidateCredentials: (what: string) => {
        if (what === 'all' || what === 'tokens') this.#file.update({ tokens: undefined })
        if (what === 'all' || what === 'client') this.#file.update({ client: undefined, clients: undefined })
      },
    }
  }

  get #known(): StoredOAuthClientInformation | undefined {
    const { clientId } = this.#options
    return clientId === undefined ? undefined : { client_id: clientId }
  }

  /** The client of a login: the configured one, or one that is registered for the redirect URL. */
  #registration(redirectUrl: string) {
    const find = () => this.#known ?? this.#file.read().clients?.[redirectUrl]
    return {
      clientInformation: find,
      ...(this.#known === undefined && {
        saveClientInformation: (client: StoredOAuthClientInformation) => {
          const known = Object.entries(this.#file.read().clients ?? {}).slice(1 - MAX_CLIENTS)
          this.#file.update({ clients: { ...Object.fromEntries(known), [redirectUrl]: client } })
        },
      }),
      saveTokens: (tokens: StoredOAuthTokens) => this.#store(tokens, find()),
    }
  }

  #store(tokens: StoredOAuthTokens, client: StoredOAuthClientInformation | undefined): void {
    this.#file.update({ tokens, client })
    this.#redact(tokens)
  }

  #redact(tokens: StoredOAuthTokens | undefined): void {
    const { client } = this.#file.read()
    const texts = [tokens?.access_token, tokens?.refresh_token, tokens?.id_token, secretOf(client)]
    const found = texts.flatMap((token) => secretsIn({ token }))
    const added = found.filter((secret) => !this.#secrets.includes(secret))
    if (added.length === 0) return
    this.#secrets = [...added, ...this.#secrets].slice(0, MAX_SECRETS)
    this.#options.onSecrets()
  }
}

function secretOf(client: object | undefined): string | undefined {
  const secret: unknown = client && 'client_secret' in client ? client.client_secret : undefined
  return typeof secret === 'string' ? secret : undefined
}

const limited = limitedFetch(MAX_RESPONSE_BYTES)

/**
 * An authorization server that does not respond must not hold the lock of the tokens. The responses are of the global
 * class, which the HTTP server replaces: the SDK reads errors of no others.
 */
function timedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
  return limited(url, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, timeout]) : timeout })
}
