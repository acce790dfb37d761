import type { ModelRecorder } from '../agent/answer/model-recorder.ts'
import { requireObject } from '../lib/require-object.ts'
import { pino } from 'pino'
import type { Logger } from 'pino'
import { exportedConfig, resolveConfig } from '../config/config.ts'
import type { AgentServerConfig } from '../config/config.ts'
import { listen } from './listen.ts'
import type { ListenOptions, Listening } from './listen.ts'
import { systemClock } from '../lib/clock.ts'
import type { Clock } from '../lib/clock.ts'
import { activeSpanIds } from '../observability/logs/active-span-ids.ts'
import { forwardLogs } from '../observability/logs/forward-logs.ts'
import { ServerLogs } from '../observability/logs/server-logs.ts'
import { isProduction } from './is-production.ts'
import type { SavedEvals } from './evals/saved-evals.ts'
import type { ServedPins } from './dev/pins.ts'
import { LiveServer } from './live-server.ts'

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
   * Starts the server, as the first request does: opens the database and recovers executions.
   *
   * @throws AppError when it can't start, such as `database_locked` or `unavailable`; the next call tries again.
   */
  readonly ready: () => Promise<void>
  /** Handles a request of the Fetch API, without a port. The response is a 503 while the server can't start; the log has why. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Listens on the configured port and host, or on those of `options`. */
  readonly listen: (options?: Partial<Omit<ListenOptions, 'limits'>>) => Promise<Listening>
  /** Stops listening, stops running executions at a step boundary, and closes the database. */
  readonly close: () => Promise<void>
}

const CLOSE_GRACE_MS = 1000

/**
 * Creates a server from a configuration, to embed it in a process or to test it. Executions that an earlier process
 * left running are recovered when the server listens or handles its first request.
 *
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
  requireObject('createServer', 'options', options, {
    root: 'string',
    logger: 'object',
    production: 'boolean',
  })
  const { root = process.cwd(), production = isProduction(process.env), clock = systemClock } = options
  const { pins, modelRecorder } = options
  const served = { pins, modelRecorder, ...(options.savedEvals && { savedEvals: options.savedEvals }) }
  const config = exportedConfig(declared)
  requireObject('createServer', 'config', config)
  // a program that asks for a database in memory, such as a test, gets one wherever it runs
  const env = config.database === ':memory:' ? {} : process.env
  const resolved = resolveConfig(config, 'createServer()', { env })
  const { logger = pino({ level: 'warn' }) } = options
  const onMcpLogin = (id: string, link: string) => logger.warn(`Log in at MCP server "${id}": ${link}`)
  const print = forwardLogs(logger)
  const logs = new ServerLogs({ root, level: 'info', clock: systemClock, spanIds: activeSpanIds, print })
  const server = new LiveServer({
    root,
    production,
    logs,
    clock,
    migrate: !production,
    onMcpLogin,
    ...served,
  })
  let starting: Promise<void> | undefined
  const ready = () =>
    (starting ??= server.serve(resolved).catch((error: unknown) => {
      // the next call tries again
      starting = undefined
      throw error
    }))
  const listening: Listening[] = []
  return {
    ready,
    fetch: async (request) => {
      requireObject('fetch', 'request', request)
      // without a configuration in service, the response is a 503
      await ready().catch((err: unknown) => logs.logger.error({ err }, 'The server could not start'))
      return server.app.fetch(request)
    },
    listen: async (address = {}) => {
      requireObject('listen', 'options', address, { port: 'number', host: 'string', nextFree: 'boolean' })
      await ready()
      const { port, host, limits } = resolved
      const bound = await listen(
        { fetch: server.app.fetch, upgrade: server.upgrades.handle },
        { port, host, ...address, limits },
      )
      listening.push(bound)
      server.url = bound.url
      return bound
    },
    close: async () => {
      const closing = listening.map((bound) => bound.close(CLOSE_GRACE_MS))
      await server.stop()
      await Promise.all(closing)
    },
  }
}
