import fs from 'node:fs'
import path from 'node:path'
import { DATA_DIRECTORY, makePrivate } from '../../lib/files/private-files.ts'
import { renameOver } from '../../lib/files/rename-over.ts'

/** A running server, as other commands of its project find it. */
export interface ServerInfo {
  readonly url: string
  readonly pid: number
  /** The project's directory. */
  readonly root: string
  readonly configFile: string
}

const FILE = path.join(DATA_DIRECTORY, 'server.json')

/** Writes the server file of a directory, replacing that of another server. */
export function writeServerFile(directory: string, info: ServerInfo): void {
  const file = path.join(directory, FILE)
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  makePrivate(path.dirname(file))
  const draft = `${file}.${info.pid}`
  fs.writeFileSync(draft, `${JSON.stringify(info, null, 2)}\n`, { mode: 0o600 })
  renameOver(draft, file)
}

/** Removes the server file, unless another server has replaced it. */
export function removeServerFile(directory: string, pid: number): void {
  if (readServerFile(directory)?.pid !== pid) return
  const file = path.join(directory, FILE)
  fs.rmSync(file, { force: true })
  if (fs.readdirSync(path.dirname(file)).length === 0) fs.rmdirSync(path.dirname(file))
}

/** Reads the server file of a directory. The server may have stopped. Files of other users are ignored. */
export function readServerFile(directory: string): ServerInfo | undefined {
  const file = path.join(directory, FILE)
  const stats = fs.statSync(file, { throwIfNoEntry: false })
  if (!stats?.isFile() || (process.getuid !== undefined && stats.uid !== process.getuid())) return undefined
  try {
    const info = JSON.parse(fs.readFileSync(file, 'utf8')) as Partial<
      Record<keyof ServerInfo, unknown>
    > | null
    return isServerInfo(info) ? info : undefined
  } catch (error) {
    // not a server file, or removed in the meantime
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function isServerInfo(info: unknown): info is ServerInfo {
  if (typeof info !== 'object' || info === null) return false
  const { url, pid, root, configFile } = info as Partial<Record<keyof ServerInfo, unknown>>
  const isUrl = typeof url === 'string' && URL.canParse(url)
  return isUrl && Number.isInteger(pid) && typeof root === 'string' && typeof configFile === 'string'
}
