import fs from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import path from 'node:path'
import type { Duplex } from 'node:stream'
import type { HttpBindings } from '@hono/node-server'
import { pino } from 'pino'
import type { Logger } from 'pino'
import type { ModelRecorder } from '../agent/answer/model-recorder.ts'
import { exportedConfig, resolveConfig } from '../config/config.ts'
import type { AgentServerConfig, ServerConfig } from '../config/config.ts'
import { unknownOption } from '../lib/unknown-option.ts'
import { createDeferred } from '../lib/async/wake-up.ts'
import { systemClock } from '../lib/clock.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { VERSION } from '../lib/packages/own-package.ts'
import { requireObject } from '../lib/require-object.ts'
import { activeSpanIds } from '../observability/logs/active-span-ids.ts'
import { forwardLogs } from '../observability/logs/forward-logs.ts'
import { ServerLogs } from '../observability/logs/server-logs.ts'
import type { ServedPins } from './dev/pins.ts'
import type { SavedEvals } from './evals/saved-evals.ts'
import { mountedListeners } from './http-server.ts'
import { isProduction } from './is-production.ts'
import { listen } from './listen.ts'
import type { ListenOptions, Listening } from './listen.ts'
import { LiveServer } from './live-server.ts'
import { checkedConfig } from './prepare-config.ts'

/** Options of `createServer`. */
export interface CreateServerOptions {
  /** The directory that relative paths of the configuration refer to. Default: the working directory. */
  readonly root?: string
  /** Logger that prints log records. Default: warnings and errors, as JSON to stdout. */
  readonly logger?: Logger
  /** Default: whether NODE_ENV is `production`. */
  readonly production?: boolean
}

/** Options of the package's own servers, such as those of tests. */
interface OwnServerOptions extends CreateServerOptions {
  readonly clock?: Clock
  readonly pins?: ServedPins
  readonly savedEvals?: SavedEvals
  readonly modelRecorder?: ModelRecorder | undefined
}

/** A server embedded in your own process. */
export interface AgentServer {
  /**
   * Starts the server, as the first request does: opens the database, recovers executions and starts schedules.
   *
   * @throws AppError when it can't start, such as `database_locked` or `unavailable`; the next call tries again. After
   * `close()` always `unavailable`.
   */
  readonly ready: () => Promise<void>
  /** Handles a request of the Fetch API, without a port. The response is a 503 while the server can't start; the log has why. */
  readonly fetch: (request: Request) => Promise<Response>
  /**
   * Handles a request of a Node HTTP server, also one whose body a parser such as `express.json()` has read. Below a path
   * prefix, `request.url` must not have it: Express's `app.use('/agents', server.node)` strips it. Resolves when the
   * response has been sent, and never rejects.
   */
  readonly node: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  /** Handles a WebSocket handshake, the event `upgrade` of a Node HTTP server. Below a prefix, strip it from `request.url`. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Listens on the configured port and host, or on those of `options`. */
  readonly listen: (options?: Partial<Omit<ListenOptions, 'limits'>>) => Promise<Listening>
  /** Stops listening, stops running executions at a step boundary, and closes the database. */
  readonly close: () => Promise<void>
}

const CLOSE_GRACE_MS = 1000

/**
 * Creates a server from a configuration, to embed it in a process or to test it. Executions that an earlier process
 * left running are recovered by `ready()`, when the server listens, or with its first request.
 *
 * A process has one server of a project, which is a `root` and a database: where hot module replacement or a bundler runs
 * the calling module again, the same server is returned, and serves the new configuration from then on. Its database stays
 * open, and `root`, `logger` and `production` stay those of the first call. Databases in memory are never shared.
 *
 * @throws TypeError when an option is unknown or has another type.
 * @throws AppError `invalid_config` when the configuration breaks a rule.
 *
 * @example
 * const server = createServer({ ...config, database: ':memory:' })
 * const { url } = await server.listen({ port: 0 })
 * const response = await server.fetch(new Request('http://localhost/workflows'))
 * await server.close()
 */
export function createServer(declared: AgentServerConfig, options?: CreateServerOptions): AgentServer
/** @internal */
export function createServer(declared: AgentServerConfig, options?: OwnServerOptions): AgentServer
export function createServer(declared: AgentServerConfig, options: OwnServerOptions = {}): AgentServer {
  const { root, production, isOwn } = checkedOptions(options)
  const config = exportedConfig(declared)
  requireObject('createServer', 'config', config)
  // a program that asks for a database in memory, such as a test, gets one wherever it runs
  const env = config.database === ':memory:' ? {} : process.env
  const resolved = resolveConfig(config, 'createServer()', { env })
  checkedConfig(resolved, production)
  const key = isOwn || resolved.database === ':memory:' ? undefined : `${root}\n${resolved.database}`
  const existing = key === undefined ? undefined : servers().get(key)
  if (existing?.isClosing === false) return existing.replace(resolved)
  const created = new EmbeddedServer(resolved, { ...options, root, production, after: existing?.closed })
  if (key === undefined) return created.handle
  servers().set(key, created)
  void created.closed.then(() => servers().get(key) === created && servers().delete(key))
  return created.handle
}

const OPTIONS = { root: 'string', logger: 'object', production: 'boolean' } as const
const OWN_OPTIONS = new Set(['clock', 'pins', 'savedEvals', 'modelRecorder'])

function checkedOptions(options: OwnServerOptions): { root: string; production: boolean; isOwn: boolean } {
  requireObject('createServer', 'options', options, OPTIONS)
  const names = Object.keys(options)
  const unknown = names.find((name) => !Object.hasOwn(OPTIONS, name) && !OWN_OPTIONS.has(name))
  if (unknown !== undefined)
    throw new TypeError(`createServer(): ${unknownOption([unknown], Object.keys(OPTIONS))}`)
  const { root = '.', production = isProduction(process.env) } = options
  const directory = path.resolve(root)
  if (!fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory())
    throw new TypeError(`createServer(): options.root must be a directory, and ${directory} is none`)
  return { root: directory, production, isOwn: names.some((name) => OWN_OPTIONS.has(name)) }
}

/** Of this version: another one in the process has its own servers. */
const SERVERS = Symbol.for(`agentserver.servers@${VERSION}`)

/** The servers of this process by project. Bundlers load this module several times, so they can't be in a variable of it. */
function servers(): Map<string, EmbeddedServer> {
  const shared = globalThis as { [SERVERS]?: Map<string, EmbeddedServer> }
  return (shared[SERVERS] ??= new Map())
}

interface EmbeddedServerOptions extends OwnServerOptions {
  readonly root: string
  readonly production: boolean
  /** Resolves when the server that had the database before is closed. */
  readonly after: Promise<void> | undefined
}

/** A server, and the configuration that it serves next. */
class EmbeddedServer {
  readonly handle: AgentServer
  readonly #server: LiveServer
  readonly #logger: Logger
  readonly #after: Promise<void> | undefined
  readonly #listening: Listening[] = []
  readonly #closed = createDeferred<void>()
  #config: ServerConfig
  /** Set while the configuration is being put into service, and once it is. */
  #starting: Promise<void> | undefined
  #isServed = false
  #isClosing = false

  constructor(config: ServerConfig, { after, ...options }: EmbeddedServerOptions) {
    const { root, production, clock = systemClock, pins, modelRecorder, savedEvals } = options
    const { logger = pino({ level: 'warn' }) } = options
    const print = forwardLogs(logger)
    const logs = new ServerLogs({ root, level: 'info', clock: systemClock, spanIds: activeSpanIds, print })
    const served = { pins, modelRecorder, ...(savedEvals && { savedEvals }) }
    // the link is for the person at the machine, not for the stored log
    const onMcpLogin = (id: string, link: string) => logger.warn(`Log in at MCP server "${id}": ${link}`)
    this.#server = new LiveServer({
      root,
      production,
      logs,
      clock,
      migrate: !production,
      onMcpLogin,
      ...served,
    })
    this.#logger = logs.logger
    this.#config = config
    this.#after = after
    const handlers = { fetch: this.#fetch, upgrade: this.#upgrade, logger: this.#logger }
    this.handle = {
      ready: () => this.#ready(),
      fetch: async (request) => {
        requireObject('fetch', 'request', request)
        return this.#fetch(request)
      },
      ...mountedListeners(handlers),
      listen: async (address = {}) => {
        requireObject('listen', 'options', address, { port: 'number', host: 'string', nextFree: 'boolean' })
        await this.#ready()
        const { port, host, limits } = this.#config
        const bound = await listen(handlers, { port, host, ...address, limits })
        this.#listening.push(bound)
        this.#server.url = bound.url
        return bound
      },
      close: () => this.#close(),
    }
  }

  get isClosing(): boolean {
    return this.#isClosing
  }

  /** Resolves when its database is closed. */
  get closed(): Promise<void> {
    return this.#closed.promise
  }

  /** Serves another configuration. The one in service stays if it can't be served. */
  replace(config: ServerConfig): AgentServer {
    this.#config = config
    const before = this.#starting
    if (!before) return this.handle
    this.#isServed = false
    // a load that has not ended would come after this one
    this.#starting = before.catch(() => undefined).then(() => this.#serve(config))
    this.#starting.catch(() => undefined)
    return this.handle
  }

  async #ready(): Promise<void> {
    if (this.#isClosing) throw closedError()
    // another configuration may have replaced the one that it waited for
    while (!this.#isServed) await (this.#starting ??= this.#serve(this.#config))
  }

  async #serve(config: ServerConfig): Promise<void> {
    try {
      if (this.#after) await this.#after
      if (this.#isClosing) throw closedError()
      // replaced while it waited
      if (config !== this.#config) return
      await this.#server.serve(config)
      this.#isServed = config === this.#config
    } catch (error) {
      // the next call tries again
      if (config === this.#config) this.#starting = undefined
      throw error
    }
  }

  /** Without a configuration in service, the response is a 503. */
  async #start(): Promise<void> {
    if (this.#isClosing) return
    await this.#ready().catch((err: unknown) => this.#logger.error({ err }, 'The server could not start'))
  }

  readonly #fetch = (request: Request, env?: HttpBindings): Response | Promise<Response> => {
    if (this.#isServed) return this.#server.app.fetch(request, env)
    return this.#start().then(() => this.#server.app.fetch(request, env))
  }

  readonly #upgrade = (incoming: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const { handle } = this.#server.upgrades
    if (this.#isServed) return handle(incoming, socket, head)
    const ignore = () => socket.destroy()
    socket.on('error', ignore)
    void this.#start().then(() => {
      socket.off('error', ignore)
      handle(incoming, socket, head)
    })
  }

  async #close(): Promise<void> {
    if (this.#isClosing) return this.closed
    this.#isClosing = true
    try {
      const closing = this.#listening.map((bound) => bound.close(CLOSE_GRACE_MS))
      await this.#server.stop()
      await Promise.all(closing)
    } finally {
      this.#closed.resolve()
    }
  }
}

function closedError(): AppError {
  return new AppError('unavailable', 'The server is closed')
}
