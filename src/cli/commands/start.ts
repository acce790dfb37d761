import path from 'node:path'
import type { Logger } from 'pino'
import { findProject } from '../../config/project.ts'
import { VERSION } from '../../lib/packages/own-package.ts'
import { maskPassword } from '../../store/postgres/connection/postgres-url.ts'
import { LiveServer } from '../../server/live-server.ts'
import { isProduction } from '../../server/is-production.ts'
import { ProjectEvals } from '../../server/evals/project-evals.ts'
import { examples } from '../command.ts'
import type { CliCommand } from '../command.ts'
import { EXIT } from '../exit-code.ts'
import { resolveMode } from '../options/load-config.ts'
import { loadProject } from '../../server/project/load-project.ts'
import { AccessNotices } from '../serve/access-notices.ts'
import { unlessAlreadyServed } from '../serve/already-served.ts'
import { openToTokens } from '../serve/declared-access.ts'
import { fitSummary, schedulesText } from '../serve/fit-lines.ts'
import { loginLine } from '../serve/login-line.ts'
import { listenAddress, listenOptions } from '../serve/listen-options.ts'
import { modelText } from '../serve/model-text.ts'
import { logOption, openLogs } from '../serve/open-logs.ts'

import { openServer } from '../serve/open-server.ts'

export const start: CliCommand = {
  define: (command) => {
    logOption(listenOptions(command)).addHelpText(
      'after',
      examples('start', 'start --host 0.0.0.0 --port 80'),
    )
  },
  run: async (call) => {
    const { options, terminal, lifetime } = call
    const project = findProject({ cwd: process.cwd(), config: options.config })
    const mode = resolveMode(process.env, 'production')
    const production = isProduction(process.env)
    const logs = openLogs(call, project.root)
    const { logger } = logs
    const loaded = await loadProject({ project, mode, onHint: (text) => logger.warn(text) })
    lifetime.defer(() => loaded.close())
    lifetime.exitWhenInterrupted = EXIT.done
    lifetime.onUncaught = (err) => {
      logger.fatal({ err }, 'Uncaught error; the server stops')
      server.fail()
      lifetime.interrupt(EXIT.failed)
    }
    const server = new LiveServer({
      root: project.root,
      savedEvals: new ProjectEvals(project, mode),
      project: { file: path.basename(project.configFile), watched: false },
      production,
      logs,
      applyEnv: loaded.applyEnv,
      migrate: false,
      onMcpLogin: (id, link) => terminal.note(loginLine(id, link)),
      runsSchedules: options['schedules'] !== false,
    })
    lifetime.defer(() => server.stop())
    const { value } = loaded.generation
    const prepared = await server.prepare(value.config)
    await unlessAlreadyServed(server.put(prepared, loaded), project)
    const address = listenAddress(options, value)
    const notices = new AccessNotices(logger)
    const info = await openServer(server, { call, project, logger, address, notices, nextFree: false })
    await server.started()
    logger.info(`Access: ${server.gate?.policy.resources.rule ?? 'no rule'}`)
    const open = openToTokens(value.config)
    if (open !== undefined) logger.info(`User tokens may start: ${open}`)
    logger.info(`Database: ${maskPassword(value.config.database)}`)
    if (value.ignoredDatabaseUrl !== undefined) logger.warn(value.ignoredDatabaseUrl)
    const schedules = schedulesText(server)
    if (schedules !== undefined) logger.info(`Schedules: ${schedules}`)
    const model = modelText(value.config, { env: process.env, production })
    if (model !== undefined) logger.info(`Model: ${model}`)
    logger.info({ url: info.url }, `Ready in ${Math.round(performance.now())} ms`)
    if (terminal.json) terminal.printValue(info)
    else terminal.print(`agentserver ${VERSION} listening on ${info.url}`)
    void logFit(server, value.config.limits.compared, logger)
    return lifetime.ended
  },
}

/** Compares open executions with the code, beside requests. */
async function logFit(server: LiveServer, limit: number, logger: Logger): Promise<void> {
  if (limit === 0) return
  const found = await server.checkOpen(limit)
  const summary = fitSummary(found ?? [], limit)
  if (summary) logger[summary.fit ? 'info' : 'warn'](summary.text)
}
