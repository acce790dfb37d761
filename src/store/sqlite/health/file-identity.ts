import fs from 'node:fs'
import { stat } from 'node:fs/promises'
import type { BigIntStats } from 'node:fs'

/** What stays while a file is written, truncated or renamed. `undefined` if there is no file. */
export type FileIdentity = string | undefined

const identityOf = ({ dev, ino }: BigIntStats) => `${dev}:${ino}`

/** The identity of the file that a path leads to. */
export function fileIdentity(path: string): FileIdentity {
  const stats = fs.statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats && identityOf(stats)
}

/** The identities of several files; `undefined` if one can't be found out, as on a network share that is away. */
export async function identifyFiles(paths: readonly string[]): Promise<FileIdentity[] | undefined> {
  try {
    return await Promise.all(paths.map((path) => stat(path, { bigint: true }).then(identityOf, noFile)))
  } catch {
    return undefined
  }
}

function noFile(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
}
