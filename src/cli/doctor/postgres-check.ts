import { AppError } from '../../lib/errors.ts'
import { inspectPostgres } from '../../store/postgres/inspect-postgres.ts'
import type { PostgresReport } from '../../store/postgres/inspect-postgres.ts'
import type { Check } from './check.ts'
import { failure, ok, warning } from './check.ts'

const MAX_CLOCK_OFFSET_MS = 1000

/** Checks that the database can be reached and used, and what limits the machines on it. Does not change it. */
export async function checkPostgres(url: string, root: string): Promise<Check[]> {
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
