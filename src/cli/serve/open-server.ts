import type { Logger } from 'pino'
import type { Project } from '../../config/project.ts'
import { listen } from '../../server/listen.ts'
import type { Listening } from '../../server/listen.ts'
import type { LiveServer } from '../../server/live-server.ts'
import type { CommandCall } from '../command.ts'
import type { ServerInfo } from '../connect/server-file.ts'
import { announce } from './announce.ts'
import type { ListenAddress } from './listen-options.ts'
import type { AccessNotices } from './access-notices.ts'

export interface OpenServerOptions {
  readonly call: CommandCall
  readonly project: Project
  readonly logger: Logger
  readonly address: ListenAddress
  readonly notices: AccessNotices
  /** Another port will do where nobody asked for this one. */
  readonly nextFree: boolean
}

/** Answers to requests under way get this long once the server is asked to stop. */
const CLOSE_GRACE_MS = 9000

/** Lets a server listen and be found, until the command ends. */
export async function openServer(server: LiveServer, options: OpenServerOptions): Promise<ServerInfo> {
  const { call, project, logger, address, notices, nextFree } = options
  const { port, host, portAsked, limits } = address
  const listening = await listen(
    { fetch: server.app.fetch, upgrade: server.upgrades.handle },
    { port, host, nextFree: nextFree && !portAsked, limits },
  )
  call.lifetime.defer(() => stop(server, listening))
  if (port !== 0 && listening.port !== port) logger.info(`Port ${port} is in use; took ${listening.port}`)
  const info = announce(listening, {
    project,
    lifetime: call.lifetime,
    onFailure: (directory, err) =>
      logger.warn({ err }, `Commands will not find this server from ${directory}`),
  })
  notices.tell(server, host)
  return info
}

/** Runs come to a step boundary while no new connection is taken; streams end with them. */
async function stop(server: LiveServer, listening: Listening): Promise<void> {
  const closed = listening.close(CLOSE_GRACE_MS)
  await server.stop()
  await closed
}
