import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** The user that the server runs as; empty: the one of this process. */
export interface ServerUser {
  readonly uid?: number
  readonly gid?: number
}

/** Postgres refuses to run as root: as root, an existing user without rights is taken. */
export function serverUser(): ServerUser {
  if (process.getuid?.() !== 0) return {}
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (option: string) =>
        Number(execFileSync('id', [option, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
      return { uid: id('-u'), gid: id('-g') }
    } catch {
      // there is no user of that name
    }
  }
  throw new Error('Postgres does not run as root, and there is neither a user "postgres" nor "nobody"')
}

/** Creates a folder of the user, below a directory that the user can enter. */
export function makeFolder(user: ServerUser): string {
  const parent = [os.tmpdir(), '/tmp', '/var/tmp'].find((folder) => isReadable(folder, user))
  if (parent === undefined)
    throw new Error(`The user ${user.uid} can read none of the directories for temporary files`)
  const folder = fs.mkdtempSync(path.join(parent, 'agentserver-postgres-'))
  if (user.uid !== undefined && user.gid !== undefined) fs.chownSync(folder, user.uid, user.gid)
  return folder
}

/** The binaries, or a copy of them in `folder` if the user can't read them where they are. */
export function readableBinaries(binaries: string, folder: string, user: ServerUser): string {
  if (isReadable(path.join(binaries, 'postgres'), user)) return binaries
  const copy = path.join(folder, 'program')
  fs.cpSync(path.dirname(binaries), copy, { recursive: true, verbatimSymlinks: true })
  fs.chmodSync(copy, 0o755)
  return path.join(copy, path.basename(binaries))
}

function isReadable(file: string, user: ServerUser): boolean {
  if (user.uid === undefined) return true
  return spawnSync('test', ['-r', file, '-a', '-x', file], user).status === 0
}
