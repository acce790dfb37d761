import type { Logger } from 'pino'
import fs from 'node:fs'
import type { Project } from '../../config/project.ts'
import { isSamePath } from '../../lib/files/is-inside.ts'
import { listen } from '../../server/listen.ts'
import type { Listening } from '../../server/listen.ts'
import type { LiveServer } from '../../server/live-server.ts'
import type { CommandCall } from '../command.ts'
import { hasConfig } from '../connect/find-server.ts'
import { removeServerFile, writeServerFile } from '../connect/server-file.ts'
import type { ServerInfo } from '../connect/server-file.ts'
import type { Lifetime } from '../lifetime.ts'
import type { AccessNotices } from './access-notices.ts'
import type { ListenAddress } from './listen-options.ts'

export interface OpenServerOptions {
  readonly call: CommandCall
  readonly project: Project
  readonly logger: Logger
  readonly address: ListenAddress
  readonly notices: AccessNotices
  /** Use the next free port if the default one is in use. */
  readonly nextFree: boolean
}

/** The time that pending requests get to finish when the server stops. */
const CLOSE_GRACE_MS = 9000

/** Starts listening and writes the server files. Both are undone when the command ends. */
export async function openServer(server: LiveServer, options: OpenServerOptions): Promise<ServerInfo> {
  const { call, project, logger, address, notices, nextFree } = options
  const { port, host, portIsSet, limits } = address
  const listening = await listen(
    { fetch: server.app.fetch, upgrade: server.upgrades.handle, logger },
    { port, host, nextFree: nextFree && !portIsSet, limits },
  )
  server.url = listening.url
  call.lifetime.defer(() => stop(server, listening))
  if (port !== 0 && listening.port !== port) logger.info(`Port ${port} is in use; using ${listening.port}`)
  const info = announce(listening, {
    project,
    lifetime: call.lifetime,
    onFailure: (directory, err) =>
      logger.warn(
        { err },
        `Cannot write to ${directory}/.agentserver: commands started there will not find this server`,
      ),
  })
  notices.update(server, host)
  return info
}

/** Stops accepting connections, waits for running executions to reach a step boundary, then ends open streams. */
async function stop(server: LiveServer, listening: Listening): Promise<void> {
  const closed = listening.close(CLOSE_GRACE_MS)
  await server.stop()
  await closed
}

interface AnnounceOptions {
  readonly project: Project
  readonly lifetime: Lifetime
  /** Called if a directory is not writable, so that commands can't find the server from there. */
  readonly onFailure: (directory: string, error: unknown) => void
}

/** Writes the server files that other commands use to find the server. They are removed when the command ends. */
function announce({ url }: Listening, { project, lifetime, onFailure }: AnnounceOptions): ServerInfo {
  const { root, configFile } = project
  const info = { url, pid: process.pid, root, configFile }
  for (const directory of serverFileDirectories(root)) {
    try {
      writeServerFile(directory, info)
      lifetime.defer(() => removeServerFile(directory, info.pid))
    } catch (error) {
      onFailure(directory, error)
    }
  }
  return info
}

/** The project's directory, and the current one unless it is another project. */
function serverFileDirectories(root: string): string[] {
  const startedIn = fs.realpathSync(process.cwd())
  return isSamePath(startedIn, root) || hasConfig(startedIn) ? [root] : [root, startedIn]
}
