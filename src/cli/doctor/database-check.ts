import fs from 'node:fs'
import path from 'node:path'
import type { ServerConfig } from '../../config/config.ts'
import { AppError } from '../../lib/errors.ts'
import { databaseFile, openStore } from '../../store/open.ts'
import { lockDatabase } from '../../store/sqlite/file-lock.ts'
import { preferredDriver } from '../../store/sqlite/driver.ts'
import type { ServerInfo } from '../connect/server-file.ts'
import type { Check } from './check.ts'
import { failure, ok, warning } from './check.ts'

export interface DatabaseCheckOptions {
  readonly root: string
  readonly config: ServerConfig
  /** The project's running server. */
  readonly server: ServerInfo | undefined
}

/** Whether the database opens, or who has it. Changes nothing in it. */
export async function checkDatabase(options: DatabaseCheckOptions): Promise<Check> {
  const { root, config, server } = options
  const { database: url } = config
  const shown = url.replace(/^file:(?!\/\/)/, '')
  if (url === ':memory:') return ok('database', 'In memory: nothing outlives the process')
  try {
    const file = url.startsWith('file:') ? databaseFile(url, root) : undefined
    if (file !== undefined && !fs.existsSync(file)) return checkPlace(file, shown)
    const lock = file === undefined ? undefined : lockDatabase(file, preferredDriver())
    try {
      await openStore({ url, root, readOnly: true }).close()
    } finally {
      lock?.release()
    }
    return ok('database', `${shown} opens`)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code !== 'database_locked') return failure('database', error.message, error.hint ?? '')
    if (server && error.message.endsWith(` ${server.pid}`))
      return ok('database', `${shown} is open in the project's server (pid ${server.pid})`)
    return warning('database', error.message.replace(`${root}${path.sep}`, ''), error.hint ?? '')
  }
}

/** Whether a database that is not there yet could be made. */
function checkPlace(file: string, shown: string): Check {
  let place = path.dirname(file)
  while (!fs.existsSync(place)) place = path.dirname(place)
  try {
    fs.accessSync(place, fs.constants.W_OK)
    return ok('database', `${shown} will be made at the first start`)
  } catch {
    // that it may not be written is the finding
    return failure('database', `${shown} can not be made`, `Let this user write to ${place}.`)
  }
}
