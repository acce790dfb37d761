import fs from 'node:fs'
import path from 'node:path'
import { CONFIG_FILE_NAMES, findProject } from '../../config/project.ts'
import type { Project } from '../../config/project.ts'
import { readServerFile } from './server-file.ts'
import type { ServerInfo } from './server-file.ts'
import { isProcessAlive } from '../../lib/files/is-process-alive.ts'
import { ancestorDirectories } from '../../lib/files/ancestor-directories.ts'

/** Where a command is to do its work. */
export type Target =
  | { readonly kind: 'server'; readonly info: ServerInfo }
  | { readonly kind: 'project'; readonly project: Project }

const HEALTH_MS = 2000

/**
 * Finds the project's running server, or else the project: here or in the closest directory above.
 *
 * @throws AppError `invalid_config` when there is neither.
 */
export async function findTarget(cwd: string, config: string | undefined): Promise<Target> {
  if (config !== undefined) {
    const project = findProject({ cwd, config })
    const info = await liveServer(project.root)
    return info?.configFile === project.configFile ? { kind: 'server', info } : { kind: 'project', project }
  }
  for (const directory of ownAbove(cwd)) {
    const isProject = hasConfig(directory)
    const info = await liveServer(directory)
    if (info && (!isProject || info.root === fs.realpathSync(directory))) return { kind: 'server', info }
    if (isProject) return { kind: 'project', project: findProject({ cwd: directory }) }
  }
  return { kind: 'project', project: findProject({ cwd }) }
}

/** Whether a directory holds a config file. */
export function hasConfig(directory: string): boolean {
  return CONFIG_FILE_NAMES.some((name) => fs.existsSync(path.join(directory, name)))
}

/** The directory itself, then those above it that belong to the same user. */
function* ownAbove(start: string): Generator<string> {
  for (const directory of ancestorDirectories(start)) {
    if (directory !== start && !isOwn(directory)) return
    yield directory
  }
}

/** Code that another user put above this directory must not run by itself. */
function isOwn(directory: string): boolean {
  return process.getuid === undefined || fs.statSync(directory).uid === process.getuid()
}

async function liveServer(directory: string): Promise<ServerInfo | undefined> {
  const info = readServerFile(directory)
  return info && isProcessAlive(info.pid) && (await isOurs(info.url)) ? info : undefined
}

/** Whether what answers there is a server of this kind: the process id may be another program's by now. */
async function isOurs(url: string): Promise<boolean> {
  try {
    const answer = await fetch(new URL('/healthz', url), { signal: AbortSignal.timeout(HEALTH_MS) })
    return answer.headers.has('x-request-id') && (await answer.text()) === 'ok'
  } catch {
    // nothing listens there, or it does not speak HTTP
    return false
  }
}
