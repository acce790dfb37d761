import { createSecretKey } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { andThen, createWorkflow, jwtAuth } from 'agentserver'
import type { AgentServerConfig, JwtAuthOptions } from 'agentserver'
import { SignJWT } from 'jose'
import type { JWTPayload } from 'jose'
import { TestServer } from './test-server.ts'
import type { SentRequest } from './test-server.ts'

export const KEY = 'console-key-0f3a9c'
export const SECRET = 'a signing secret of more than thirty-two bytes'

/** Returns the user id of its caller. */
const whoami = createWorkflow({ id: 'whoami', name: 'Who am I' }).andThen({
  id: 'tell',
  execute: ({ user, userId }) => ({ user: user ?? null, userId: userId ?? null }),
})

/** Suspends until it is resumed. */
const wait = createWorkflow({ id: 'wait', name: 'Wait' }).andWhen({
  id: 'always',
  condition: () => true,
  step: andThen({
    id: 'ask',
    execute: ({ resumeData, suspend }) => ({ answer: resumeData ?? suspend('why') }),
  }),
})

export const GUARDED_WORKFLOWS = [whoami, wait]

export interface GuardedServerOptions {
  readonly production?: boolean
  /** `SERVICE_CONSOLE_ACCESS_KEY`; `undefined` if it is not set. */
  readonly consoleKey?: string | undefined
  /** The minimum level of `logs`; default: warn. */
  readonly level?: string
}

/** A server with authentication. Requests are made without a port unless it listens. */
export class GuardedServer extends TestServer {
  readonly root: string
  readonly #consoleKey: string | undefined

  constructor(config: AgentServerConfig, options: GuardedServerOptions = {}) {
    const { production = false, level = 'warn' } = options
    const root = mkdtempSync(path.join(tmpdir(), 'agentserver-gate-'))
    super({ workflows: GUARDED_WORKFLOWS, configureApp: ownRoutes, ...config }, { production, root, level })
    this.root = root
    this.#consoleKey = 'consoleKey' in options ? options.consoleKey : KEY
  }

  /** The log records but those of refused credentials and of ignored options. */
  get errors(): Record<string, unknown>[] {
    return this.logs.filter(
      ({ msg }) => !/invalid credentials|is not known and was ignored/.test(String(msg)),
    )
  }

  override request(target: string, sent: SentRequest = {}): Promise<Response> {
    return this.#withKey(() => super.request(target, sent))
  }

  async status(
    target: string,
    headers: Readonly<Record<string, string>> = {},
    method = 'GET',
  ): Promise<number> {
    const response = await this.request(target, { method, headers })
    await response.body?.cancel()
    return response.status
  }

  /** The result of the workflow `whoami`. */
  async seenUser(headers: Readonly<Record<string, string>>, options: object = {}): Promise<Seen> {
    const json = { input: {}, options }
    const response = await this.request('/workflows/whoami/execute', { method: 'POST', headers, json })
    const { data } = (await response.json()) as { data: { result: Seen } }
    return data.result
  }

  override listen() {
    return this.#withKey(() => super.listen())
  }

  override async close(): Promise<void> {
    await super.close()
    rmSync(this.root, { recursive: true, force: true })
  }

  /** The server reads the key with its configuration, at the first request. */
  async #withKey<T>(act: () => Promise<T>): Promise<T> {
    const before = process.env['SERVICE_CONSOLE_ACCESS_KEY']
    setKey(this.#consoleKey)
    try {
      return await act()
    } finally {
      setKey(before)
    }
  }
}

interface Seen {
  readonly user: unknown
  readonly userId: string | null
}

function setKey(value: string | undefined): void {
  if (value === undefined) delete process.env['SERVICE_CONSOLE_ACCESS_KEY']
  else process.env['SERVICE_CONSOLE_ACCESS_KEY'] = value
}

const ownRoutes: NonNullable<AgentServerConfig['configureApp']> = (app) => {
  app.get('/hello', (c) => c.json({ hi: c.get('user') ?? null }))
  app.get('/admin/users', (c) => c.text('users'))
  app.get('/shop', (c) => c.text('shop'))
  app.get('/shop/:item', (c) => c.text('item'))
  app.get('/shop/:item/reviews', (c) => c.text('reviews'))
  app.put('/shop/:item', (c) => c.text('put'))
  app.post('/hooks/:name', (c) => c.text('hooked'))
}

/** A token as signed by an identity provider, valid for five minutes. */
export function tokenOf(claims: JWTPayload = { sub: 'ada' }, { expiresIn = '5m' } = {}): Promise<string> {
  const key = createSecretKey(Buffer.from(SECRET))
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).setExpirationTime(expiresIn).sign(key)
}

export function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` }
}

export const keyHeader = (key = KEY) => ({ 'x-console-access-key': key })
export const DEV = { 'x-service-dev': 'true' }

export function provider(
  options: Partial<Extract<JwtAuthOptions, { readonly secret: string | undefined }>> = {},
) {
  return jwtAuth({ secret: SECRET, ...options })
}
