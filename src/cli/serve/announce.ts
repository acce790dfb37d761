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
  /** Told when a directory can't be written: commands won't find the server from there. */
  readonly onFailure: (directory: string, error: unknown) => void
}

/** Lets the project's other commands find the server, until it ends. */
export function announce({ url }: Listening, { project, lifetime, onFailure }: AnnounceOptions): ServerInfo {
  const { root, configFile } = project
  const info = { url, pid: process.pid, root, configFile }
  for (const directory of placesFor(root)) {
    try {
      writeServerFile(directory, info)
      lifetime.defer(() => removeServerFile(directory, info.pid))
    } catch (error) {
      onFailure(directory, error)
    }
  }
  return info
}

/** The project, and where the server was started from, unless that is another project. */
function placesFor(root: string): string[] {
  const startedIn = fs.realpathSync(process.cwd())
  return startedIn === root || hasConfig(startedIn) ? [root] : [root, startedIn]
}
