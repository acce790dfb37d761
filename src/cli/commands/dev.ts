import path from 'node:path'
import { InvalidArgumentError } from 'commander'
import type { Logger } from 'pino'
import { findProject } from '../../config/project.ts'
import type { Pin } from '../../contract/endpoints/project/pins.ts'
import { ENDPOINTS } from '../../contract/index.ts'
import { systemClock } from '../../lib/clock.ts'
import { Pins } from '../../server/dev/pins.ts'
import { ProjectTokenFile } from '../../server/dev/project-token-file.ts'
import { ProjectEvals } from '../../server/evals/project-evals.ts'
import { isProduction } from '../../server/is-production.ts'
import { LiveServer } from '../../server/live-server.ts'
import { ProjectServer } from '../../server/project/project-server.ts'
import { examples } from '../command.ts'
import type { CliCommand } from '../command.ts'
import { EXIT } from '../exit-code.ts'
import type { Lifetime } from '../lifetime.ts'
import { resolveMode } from '../options/load-config.ts'
import { oneLine } from '../print/terminal.ts'
import type { Terminal } from '../print/terminal.ts'
import { AccessNotices } from '../serve/access-notices.ts'
import { unlessAlreadyServed } from '../serve/already-served.ts'
import { banner, consoleLink } from '../serve/banner.ts'
import { listenToDevKeys } from '../serve/dev-keys.ts'
import { loginLine } from '../serve/login-line.ts'
import { hostOption, portOption, listenAddress, listenOptions } from '../serve/listen-options.ts'
import { openInBrowser } from '../serve/open-in-browser.ts'
import { logOption, openLogs } from '../serve/open-logs.ts'
import { openServer } from '../serve/open-server.ts'
import { projectReporter } from '../serve/project-reporter.ts'

/** Unnoticed by people, and cheap for the files of a project. */
const POLL_MS = 300

export const dev: CliCommand = {
  define: (command) => {
    logOption(listenOptions(command))
      .option('--open', 'open the console in the browser')
      .option('--quiet', 'print no line for each run')
      .option(
        '--poll [ms]',
        `poll for file changes every N ms (default ${POLL_MS}), for network drives and containers without file events`,
        milliseconds,
      )
      .addHelpText(
        'after',
        `\nKeys in the terminal: r reload, o open the console, c clear the screen, q quit, h help.`,
      )
      .addHelpText('after', examples('dev', 'dev --open --port 8080', 'dev --config apps/shop --poll 500'))
  },
  run: async (call) => {
    const { options, terminal, lifetime } = call
    const project = findProject({ cwd: process.cwd(), config: options.config })
    const mode = resolveMode(process.env, 'development')
    const production = isProduction(process.env)
    const logs = openLogs(call, project.root)
    const { logger } = logs
    lifetime.exitWhenInterrupted = EXIT.done
    lifetime.onUncaught = (err) => logger.error({ err }, 'Uncaught error; the server keeps running')
    const pins = new Pins({
      root: project.root,
      clock: systemClock,
      logger,
      onReplayed: (pin) => terminal.note(replayedLine(pin, terminal)),
    })
    const tokenFile = production ? undefined : new ProjectTokenFile(project.root)
    const projectToken = tokenFile?.token
    const server = new LiveServer({
      root: project.root,
      savedEvals: new ProjectEvals(project, mode),
      project: { file: path.basename(project.configFile), watched: true },
      production,
      logs,
      pins,
      projectToken,
      onMcpLogin: (id, link) => terminal.note(loginLine(id, link)),
      abortStepsAtStop: true,
      runsSchedules: options['schedules'] !== false,
    })
    lifetime.defer(() => server.stop())
    lifetime.defer(() => pins.close())
    const notices = new AccessNotices(logger)
    /** Set until there is a database: after a first load that failed, there is none. */
    let startRunLines: (() => void) | undefined
    const { poll } = options
    const projectServer = new ProjectServer({
      project,
      server,
      mode,
      reporter: projectReporter(terminal, () => {
        notices.update(server)
        pins.saved()
        startRunLines?.()
      }),
      isOverridden: (setting) =>
        (setting === 'host' ? hostOption(options) : portOption(options)) !== undefined,
      poll: poll === true ? POLL_MS : (poll as number | undefined),
    })
    lifetime.defer(() => projectServer.close())
    const accepted = await unlessAlreadyServed(projectServer.start(), project)
    // not before: it would replace that of a server that serves the project already
    if (tokenFile) writeToken(tokenFile, { lifetime, logger })
    const address = listenAddress(options, accepted)
    const info = await openServer(server, { call, project, logger, address, notices, nextFree: true })
    await server.started()
    if (terminal.json) terminal.printValue(info)
    else
      terminal.print(
        banner({ ...accepted, url: info.url, project, production, projectToken, server }, terminal),
      )
    if (!terminal.json && options['quiet'] !== true) {
      const { printRuns } = await import('../serve/run-lines.ts')
      startRunLines = () => {
        const { executionFeed } = server
        if (executionFeed === undefined) return
        startRunLines = undefined
        lifetime.defer(printRuns(executionFeed, terminal))
      }
      startRunLines()
    }
    const openPage = () => {
      const hasConsole = server.config?.console ?? true
      const page = hasConsole
        ? consoleLink(info.url, projectToken)
        : new URL(ENDPOINTS.getLanding.path, info.url).href
      void openInBrowser(page, (reason) =>
        terminal.note(`Could not open a browser (${reason}). Open ${page}`),
      )
    }
    if (options['open'] === true) openPage()
    await listenToDevKeys({ call, openPage, reloadAll: () => void projectServer.reloadAll() })
    return lifetime.ended
  },
}

/** Without the file, only the printed link has the token. */
function writeToken(
  file: ProjectTokenFile,
  { lifetime, logger }: { readonly lifetime: Lifetime; readonly logger: Pick<Logger, 'warn'> },
): void {
  try {
    file.write()
    lifetime.defer(() => file.remove())
  } catch (err) {
    logger.warn({ err }, "Cannot write the project's token to .agentserver/token")
  }
}

function milliseconds(text: string): number {
  if (/^\d{1,6}$/.test(text) && Number(text) >= 10) return Number(text)
  throw new InvalidArgumentError('Expected a number of milliseconds, 10 or more.')
}

/** The outcome of a pinned execution that has run again: `↻ order 0190c2f0-…: completed`. */
function replayedLine(
  { workflowId, executionId, status, problem, error }: Pin,
  { notePaint: paint }: Pick<Terminal, 'notePaint'>,
): string {
  const subject = `↻ ${workflowId} ${executionId}`
  const message = problem ?? error?.message
  if (message !== undefined) return `${subject}: ${paint.red('failed')}: ${oneLine(message)}`
  const isDone = status === 'completed'
  return `${subject}: ${isDone ? paint.green(status) : paint.yellow(status)}`
}
