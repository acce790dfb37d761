import fs from 'node:fs'
import path from 'node:path'
import type { ServerConfig } from '../../config/config.ts'
import { AppError } from '../../lib/errors.ts'
import { databaseFile } from '../../store/database-url.ts'
import { openStore } from '../../store/open.ts'
import { isPostgresUrl } from '../../store/postgres/connection/postgres-url.ts'
import { inspectPostgres } from '../../store/postgres/inspect-postgres.ts'
import type { PostgresReport } from '../../store/postgres/inspect-postgres.ts'
import { preferredDriver } from '../../store/sqlite/driver.ts'
import { lockDatabase } from '../../store/sqlite/file-lock.ts'
import { DAMAGE_ADVICE } from '../../store/sqlite/health/database-error.ts'
import { findDamage } from '../../store/sqlite/health/find-damage.ts'
import type { ServerInfo } from '../connect/server-file.ts'
import { failure, ok, warning } from './check.ts'
import type { Check } from './check.ts'

export interface DatabaseCheckOptions {
  readonly root: string
  readonly config: ServerConfig
  /** The project's running server. */
  readonly server: ServerInfo | undefined
}

/** Checks that the database can be opened and is not damaged, or which process has it open. Does not change it. */
export async function checkDatabase(options: DatabaseCheckOptions): Promise<Check[]> {
  const { root, config } = options
  const { database: url } = config
  return isPostgresUrl(url) ? checkPostgres(url, root) : [await checkSqlite(options)]
}

async function checkSqlite({ root, config, server }: DatabaseCheckOptions): Promise<Check> {
  const { database: url } = config
  const shown = url.replace(/^file:(?!\/\/)/, '')
  if (url === ':memory:') return ok('database', 'In memory: data is lost when the process ends')
  try {
    const file = url.startsWith('file:') ? databaseFile(url, root) : undefined
    if (file !== undefined && !fs.existsSync(file)) return checkPlace(file, shown)
    const lock = file === undefined ? undefined : lockDatabase(file, preferredDriver())
    try {
      await (await openStore({ url, root, readOnly: true })).close()
      const damage = file === undefined ? undefined : findDamage(file)
      if (damage !== undefined) return failure('database', `${shown} is damaged: ${damage}`, DAMAGE_ADVICE)
    } finally {
      lock?.release()
    }
    return ok('database', `${shown} can be opened and is not damaged`)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code !== 'database_locked') return failure('database', error.message, error.hint ?? '')
    if (server && error.message.endsWith(` ${server.pid}`))
      return ok('database', `${shown} is in use by the project's server (pid ${server.pid})`)
    return warning('database', error.message.replace(`${root}${path.sep}`, ''), error.hint ?? '')
  }
}

/** Checks that a missing database file can be created. */
function checkPlace(file: string, shown: string): Check {
  let place = path.dirname(file)
  while (!fs.existsSync(place)) place = path.dirname(place)
  try {
    fs.accessSync(place, fs.constants.W_OK)
    return ok('database', `${shown} will be created at the first start`)
  } catch {
    // not writable
    return failure('database', `${shown} cannot be created`, `Make ${place} writable for this user.`)
  }
}

const MAX_CLOCK_OFFSET_MS = 1000

/** Checks that the database can be reached and used, and what limits the machines on it. Does not change it. */
async function checkPostgres(url: string, root: string): Promise<Check[]> {
  try {
    return checksOf(await inspectPostgres({ url, root }))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return [failure('database', error.message, error.hint ?? '')]
  }
}

function checksOf({ version, place, schema, isMigrated, ...report }: PostgresReport): Check[] {
  const { notifications, clockOffset, connections } = report
  const database = `Postgres ${version}: ${place}, schema "${schema}"`
  return [
    isMigrated
      ? ok('database', database)
      : warning('database', `${database} needs a migration`, 'Run `agentserver migrate`.'),
    checkNotifications(notifications),
    checkClock(clockOffset),
    checkConnections(connections),
  ]
}

function checkNotifications(notifications: PostgresReport['notifications']): Check {
  if (notifications === 'received')
    return ok('notify', 'LISTEN works: changes of other machines are received at once')
  if (notifications === 'lost')
    return warning(
      'notify',
      'LISTEN does not work: a notification was sent and not received, so changes of other machines are polled for',
      'Connect to the server itself, not through a proxy that drops notifications.',
    )
  return warning(
    'notify',
    'A pooler such as PgBouncer is between this machine and the database: changes are polled for',
    'Connect to the server itself, to get changes of other machines at once.',
  )
}

function checkClock(offset: number): Check {
  const seconds = (Math.abs(offset) / 1000).toFixed(1)
  const text = `The clock of this machine is ${seconds} s ${offset > 0 ? 'behind' : 'ahead of'} that of the database`
  if (Math.abs(offset) <= MAX_CLOCK_OFFSET_MS) return ok('clock', text)
  return warning('clock', text, 'Synchronize the clocks of both machines, for example with NTP.')
}

function checkConnections({ own, max }: PostgresReport['connections']): Check {
  const machines = Math.floor(max / own)
  const text = `A server opens up to ${own} connections; the database accepts ${max}, enough for ${machines} server(s)`
  if (machines >= 2) return ok('pool', text)
  return warning('pool', text, 'Raise max_connections of the database, or lower ?pool= in the URL.')
}
