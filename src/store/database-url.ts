import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { StorageKind } from '../contract/endpoints/observability.ts'
import { AppError } from '../lib/errors.ts'
import { isPostgresUrl, parsePostgresUrl } from './postgres/connection/postgres-url.ts'

const HINT = 'Use "file:<path>", ":memory:" or "postgres://user:password@host/database"'

/** @throws AppError `invalid_config` when a URL names no database. Whether there is one at that place is not checked. */
export function checkDatabaseUrl(url: string): void {
  if (url === ':memory:') return
  if (isPostgresUrl(url)) return void parsePostgresUrl(url)
  // a path is not accepted as it is: a misspelt URL would be one
  if (!/^[a-z][a-z\d+.-]+:/i.test(url))
    throw new AppError('invalid_config', `database: "${url}" is not a URL`, {
      hint: `Use "file:${url}" for a file`,
    })
  if (!url.startsWith('file:'))
    throw new AppError('invalid_config', `database: "${url.replace(/:\/\/.*/, '://…')}" is not supported`, {
      hint: HINT,
    })
  if (url === 'file:' || (url.startsWith('file://') && !isFileUrl(url)))
    throw new AppError('invalid_config', `database: "${url}" names no file`, {
      hint: 'Use "file:<path>", relative to the project or absolute',
    })
}

/** The kind of database of a URL. */
export function storageKind(url: string): StorageKind {
  if (isPostgresUrl(url)) return 'postgres'
  return url === ':memory:' ? 'memory' : 'sqlite'
}

/** The absolute path of a `file:` database. */
export function databaseFile(url: string, root: string): string {
  if (url.startsWith('file://')) return fileURLToPath(url)
  const path = url.slice('file:'.length)
  return isAbsolute(path) ? path : resolve(root, path)
}

/** Whether a `file://` URL names a file of this machine. */
function isFileUrl(url: string): boolean {
  try {
    fileURLToPath(url)
    return true
  } catch {
    // a host, an encoded slash, or a relative path, which is read as a host
    return false
  }
}
