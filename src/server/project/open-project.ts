import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import type { Logger } from 'pino'
import { findProject } from '../../config/project.ts'
import { systemClock } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import { requireObject } from '../../lib/require-object.ts'
import { activeSpanIds } from '../../observability/logs/active-span-ids.ts'
import { forwardLogs } from '../../observability/logs/forward-logs.ts'
import { ServerLogs } from '../../observability/logs/server-logs.ts'
import { isProduction } from '../is-production.ts'

/** Options of `openProject`. */
export interface OpenProjectOptions {
  /**
   * The config file, or a directory that contains one: a path, relative to the working directory, or a URL such as
   * `new URL('..', import.meta.url)`. Default: the working directory.
   */
  readonly config?: string | URL
  /** Logger that prints log records. Default: warnings and errors, as JSON to stdout. */
  readonly logger?: Logger
}

/** A project that is open in this process, without a port. */
export interface OpenedProject {
  /** The project's directory, absolute. */
  readonly root: string
  /**
   * Waits up to 8 seconds for what runs, aborts the rest, and closes the database. The process can end then. What sleeps or
   * waits continues with the next server of the project.
   */
  readonly close: () => Promise<void>
}

/**
 * Opens the project in a script, such as one that seeds data, a cron job or a test, without listening: `agent.generate()`,
 * `tool.run()`, `workflow.start()`, `startWorkflow()` and `sendEvent()` work until `close()`. It applies `.env`, opens the
 * database of the configuration, and runs neither schedules nor what an earlier process has left.
 *
 * @throws LoadError when the configuration can't be loaded; otherwise an error with the `code` `invalid_config` when there is
 *   none, `database_locked` when a server of the project has its SQLite database open, and
 *   `unavailable` when the database can't be opened
 *
 * @example
 * const project = await openProject()
 * const { text } = await clerk.generate('Summarise the orders of today')
 * await project.close()
 */
export async function openProject(options: OpenProjectOptions = {}): Promise<OpenedProject> {
  requireObject('openProject', 'options', options, { logger: 'object' })
  const config = pathOf(options.config)
  const project = findProject({ cwd: process.cwd(), config, passedBy: "openProject({ config: '<path>' })" })
  const { logger = pino({ level: 'warn' }) } = options
  const { root } = project
  const print = forwardLogs(logger)
  // with the compiler, which programs that only create a server don't need
  const { InProcessServer } = await import('./in-process-server.ts')
  const server = new InProcessServer({
    project,
    mode: isProduction(process.env) ? 'production' : 'development',
    openLogs: () =>
      new ServerLogs({ root, level: 'info', clock: systemClock, spanIds: activeSpanIds, print }),
    readOnly: false,
    operator: true,
    onHint: (text) => logger.warn(text),
  })
  try {
    await server.start()
  } catch (error) {
    await server.close()
    throw error instanceof AppError && error.code === 'database_locked' ? inUse(error) : error
  }
  return { root, close: () => server.close() }
}

function pathOf(config: unknown): string | undefined {
  if (config === undefined || typeof config === 'string') return config
  if (config instanceof URL && config.protocol === 'file:') return fileURLToPath(config)
  throw new TypeError('openProject(): options.config must be a path or a file URL')
}

function inUse(error: AppError): AppError {
  return new AppError(
    'database_locked',
    `${error.message}: a server of the project runs. Stop it, use Postgres, or call the server with createClient() of agentserver/client`,
    { cause: error },
  )
}
