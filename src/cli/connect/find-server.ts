import fs from 'node:fs'
import path from 'node:path'
import { CONFIG_FILE_NAMES, findProject } from '../../config/project.ts'
import type { Project } from '../../config/project.ts'
import { readServerFile } from './server-file.ts'
import type { ServerInfo } from './server-file.ts'
import { isProcessAlive } from '../../lib/files/is-process-alive.ts'
import { ancestorDirectories, isSamePath } from '../../lib/files/is-inside.ts'

/** The running server, or the project, that a command works on. */
export type Target =
  | { readonly kind: 'server'; readonly info: ServerInfo }
  | { readonly kind: 'project'; readonly project: Project }

const HEALTH_TIMEOUT_MS = 2000

/**
 * Finds the project's running server, else the project, in `cwd` or the closest parent directory.
 *
 * @throws AppError `invalid_config` if neither is found.
 */
export async function findTarget(cwd: string, config: string | undefined): Promise<Target> {
  if (config !== undefined) {
    const project = findProject({ cwd, config })
    const info = await runningServer(project.root)
    const isServed = info && isSamePath(info.configFile, project.configFile)
    return isServed ? { kind: 'server', info } : { kind: 'project', project }
  }
  for (const directory of ownedAncestors(cwd)) {
    const isProject = hasConfig(directory)
    const info = await runningServer(directory)
    if (info && (!isProject || isSamePath(info.root, fs.realpathSync(directory))))
      return { kind: 'server', info }
    if (isProject) return { kind: 'project', project: findProject({ cwd: directory }) }
  }
  return { kind: 'project', project: findProject({ cwd }) }
}

/** Whether a directory contains a config file. */
export function hasConfig(directory: string): boolean {
  return CONFIG_FILE_NAMES.some((name) => fs.existsSync(path.join(directory, name)))
}

/** The directory itself, then its parent directories as long as they belong to the same user. */
function* ownedAncestors(start: string): Generator<string> {
  for (const directory of ancestorDirectories(start)) {
    if (directory !== start && !isOwn(directory)) return
    yield directory
  }
}

/** Code of another user in a parent directory must not run without being named. */
function isOwn(directory: string): boolean {
  return process.getuid === undefined || fs.statSync(directory).uid === process.getuid()
}

/** The running server whose server file is in a directory. */
export async function runningServer(directory: string): Promise<ServerInfo | undefined> {
  const info = readServerFile(directory)
  return info && isProcessAlive(info.pid) && (await isAgentServer(info.url)) ? info : undefined
}

/** Whether the server there is an agentserver: its process id and port may have been reused. */
async function isAgentServer(url: string): Promise<boolean> {
  try {
    const response = await fetch(new URL('/healthz', url), { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) })
    return response.headers.has('x-request-id') && (await response.text()) === 'ok'
  } catch {
    // no server, or not an HTTP server
    return false
  }
}
