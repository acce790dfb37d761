import { ApiError } from '../../client/api-error.ts'
import type { ApiClient } from '../../client/api.ts'
import type { LogQuery, LogRecord } from '../../contract/endpoints/log.ts'
import { LOG_PAGE } from '../../contract/endpoints/log.ts'
import { AppError } from '../../lib/errors.ts'
import type { CommandCall } from '../command.ts'
import { connect } from '../connect/connect.ts'
import type { Connection } from '../connect/connect.ts'
import { findTarget } from '../connect/find-server.ts'
import { LateRecords } from './late-records.ts'
import { LogNotifications } from './log-notifications.ts'

/** The delay before a retry after an error, and the polling interval without a server. */
const RETRY_MS = 500
/** The maximum number of records to catch up on after a disconnect. Older ones are skipped. */
const MAX_MISSED = 100_000

/** The last record that was read. */
type LastRecord = Pick<LogRecord, 'id'> & Partial<Pick<LogRecord, 'timestamp'>>

const BEGINNING: LastRecord = { id: '0' }

/**
 * Yields log records in chronological order: the newest `query.limit`, then new ones as they are logged. New records
 * are read by their ids, so none is lost or repeated when the connection or the server is lost. Those that another
 * machine stores late follow as they are received.
 *
 * @throws AppError, ApiError if the server rejects the credentials, or can't be reached at first.
 */
export async function* followLogs(call: CommandCall, query: LogQuery): AsyncGenerator<LogRecord, never> {
  let connection = await connect(call, { readOnly: true })
  const late = new LateRecords(query)
  const notifications = new LogNotifications(call, query, (record) => late.receive(record))
  call.lifetime.defer(() => notifications.close())
  notifications.subscribe(connection.url)
  let last: LastRecord | undefined
  for (let lost = false; ;) {
    try {
      const records = await newRecords(connection.client, query, last)
      if (lost) call.terminal.note(call.terminal.notePaint.dim('Reconnected.'))
      lost = false
      const isFirst = last === undefined
      last = records.at(-1) ?? last ?? BEGINNING
      const more = late.printed(records, last)
      yield* isFirst ? records : merged(records, more)
      await notifications.next(connection.url === undefined ? RETRY_MS : undefined)
    } catch (error) {
      if (!isConnectionError(error)) throw error
      if (!lost)
        call.terminal.note(call.terminal.notePaint.dim('Connection to the server lost; reconnecting…'))
      lost = true
      await notifications.pause(RETRY_MS)
    }
    if (lost || connection.url === undefined) connection = (await reconnect(call)) ?? connection
    notifications.subscribe(connection.url)
  }
}

/** In the order of time. */
function merged(records: readonly LogRecord[], late: readonly LogRecord[]): readonly LogRecord[] {
  if (late.length === 0) return records
  return [...late, ...records].toSorted((a, b) => Number(a.id) - Number(b.id))
}

/** The records after the last one, oldest first. */
async function newRecords(
  client: ApiClient,
  query: LogQuery,
  last: LastRecord | undefined,
): Promise<LogRecord[]> {
  if (!last) return (await client.listLogs({ query })).toReversed()
  const found: LogRecord[] = []
  const limit = String(LOG_PAGE.maxLimit)
  for (let cursor: string | undefined; found.length < MAX_MISSED; cursor = found.at(-1)?.id) {
    const since = last.timestamp ?? query.since
    const page = await client.listLogs({ query: { ...query, since, limit, cursor } })
    const fresh = page.filter(({ id }) => Number(id) > Number(last.id))
    found.push(...fresh)
    if (fresh.length < LOG_PAGE.maxLimit) break
  }
  return found.toReversed()
}

function isConnectionError(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 502 || error.status === 503
  return error instanceof TypeError || (error instanceof AppError && error.code === 'unreachable')
}

/** Connects to the project's server, which may have started or changed its address. */
async function reconnect(call: CommandCall): Promise<Connection | undefined> {
  const { url, config } = call.options
  if (url !== undefined) return undefined
  const target = await findTarget(process.cwd(), config)
  return target.kind === 'server' ? connect(call, { readOnly: true }) : undefined
}
