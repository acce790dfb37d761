import { loadOnce } from '../config/live/load-once.ts'
import type { Project } from '../config/project.ts'
import { systemClock } from '../lib/clock.ts'
import { activePlace } from '../observability/logs/active-span-ids.ts'
import { ServerLogs } from '../observability/logs/server-logs.ts'
import { LiveServer } from '../server/live-server.ts'
import { isProduction } from '../server/mode.ts'
import type { CommandCall } from './command.ts'
import { acceptConfig } from './accept-config.ts'
import { modeOf } from './options/mode.ts'
import { OWN_MODULES } from './own-modules.ts'
import { LogLines } from './print/log-lines.ts'
import { givenLevel } from './serve/open-logs.ts'

export interface InPlaceOptions {
  readonly call: CommandCall
  readonly readOnly: boolean
}

/** Loads a project into this process and gives what answers requests to it. Closed with the command. */
export async function openInPlace(
  project: Project,
  { call: { options, terminal, lifetime }, readOnly }: InPlaceOptions,
): Promise<(request: Request) => Promise<Response>> {
  const mode = modeOf(process.env, 'development')
  const loaded = await loadOnce({
    project,
    mode,
    alias: OWN_MODULES,
    accept: (namespace) => acceptConfig(namespace, project),
    onHint: (text) => terminal.note(terminal.notePaint.dim(text)),
  })
  lifetime.defer(() => loaded.close())
  const logs = new ServerLogs({
    root: project.root,
    level: givenLevel(options),
    clock: systemClock,
    place: activePlace,
    print: new LogLines(terminal, { requests: false }).print,
  })
  const production = isProduction(process.env)
  const server = new LiveServer({ root: project.root, production, logs, readOnly, recover: false })
  lifetime.defer(() => server.stop())
  const { config } = loaded.generation.value
  await server.serve(config, loaded)
  // whoever shows credentials is served as the one they belong to
  const isOperator = options.key === undefined && options.token === undefined
  return async (request) => (isOperator ? server.operator(request) : server.app.fetch(request))
}
