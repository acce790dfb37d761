import fs from 'node:fs'
import type { Project } from '../../config/project.ts'
import type { Listening } from '../../server/listen.ts'
import type { Lifetime } from '../lifetime.ts'
import { hasConfig } from '../connect/find-server.ts'
import { removeServerFile, writeServerFile } from '../connect/server-file.ts'
import type { ServerInfo } from '../connect/server-file.ts'

export interface AnnounceOptions {
  readonly project: Project
  readonly lifetime: Lifetime
  /** Called if a directory is not writable, so that commands can't find the server from there. */
  readonly onFailure: (directory: string, error: unknown) => void
}

/** Writes the server files that other commands use to find the server. They are removed when the command ends. */
export function announce({ url }: Listening, { project, lifetime, onFailure }: AnnounceOptions): ServerInfo {
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
  return startedIn === root || hasConfig(startedIn) ? [root] : [root, startedIn]
}
