import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { StorageKind } from '../contract/endpoints/observability.ts'
import { AppError } from '../lib/errors.ts'
import { openSqliteStore } from './sqlite/sqlite-store.ts'
import type { Store } from './store.ts'

export interface StoreOptions {
  /** `file:<path>`, a `file://` URL, or `:memory:`. */
  readonly url: string
  /** The project's directory, to which relative paths are relative. */
  readonly root: string
  readonly durability?: 'normal' | 'full'
  /** Opens the database without a lock, also while another process owns it. */
  readonly readOnly?: boolean
  /** Called when the database can't be used any more, with the reason, and with `undefined` when it can again. */
  readonly onHealth?: (problem: AppError | undefined) => void
}

/** Opens the database of a configuration. */
export function openStore({ url, root, ...options }: StoreOptions): Store {
  if (url === ':memory:') return openSqliteStore({ file: url, ...options })
  if (url.startsWith('file:')) return openSqliteStore({ file: databaseFile(url, root), ...options })
  throw new AppError('invalid_config', `database: "${url.replace(/:\/\/.*/, '://…')}" is not supported`, {
    hint: 'Use "file:<path>" or ":memory:"',
  })
}

/** The kind of database of a URL. */
export function storageKind(url: string): StorageKind {
  return url === ':memory:' ? 'memory' : 'sqlite'
}

/** The absolute path of a `file:` database. */
export function databaseFile(url: string, root: string): string {
  if (url.startsWith('file://')) return fileURLToPath(url)
  const path = url.slice('file:'.length)
  return isAbsolute(path) ? path : resolve(root, path)
}
