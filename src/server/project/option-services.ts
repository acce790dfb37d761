import { ProjectToken } from '../../auth/project-token.ts'
import type { Services } from '../../http/services.ts'
import { systemClock } from '../../lib/clock.ts'
import { uuidV7Generator } from '../../lib/ids.ts'
import { VERSION } from '../../lib/packages/version.ts'
import type { LiveServerOptions } from '../live-server-options.ts'

type FromOptions =
  | 'production'
  | 'projectToken'
  | 'pins'
  | 'root'
  | 'project'
  | 'logger'
  | 'redactor'
  | 'logFeed'
  | 'clock'
  | 'newId'
  | 'version'

/** What handlers need of the options of a server, which never change. */
export function optionServices(options: LiveServerOptions): Pick<Services, FromOptions> {
  const { root, production, project, logs, pins, projectToken, clock = systemClock } = options
  return {
    production,
    projectToken: projectToken === undefined ? undefined : new ProjectToken(projectToken),
    pins,
    root,
    project,
    logger: logs.logger,
    redactor: logs.redactor,
    logFeed: logs.feed,
    clock,
    newId: uuidV7Generator(),
    version: VERSION,
  }
}
