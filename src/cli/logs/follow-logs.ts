import { ApiError } from '../../client/api-error.ts'
import type { Client } from '../../client/create-client.ts'
import type { LogQuery, LogRecord } from '../../contract/endpoints/log.ts'
import { LOG_PAGE } from '../../contract/endpoints/log.ts'
import { AppError } from '../../lib/errors.ts'
import type { CommandCall } from '../command.ts'
import { connect } from '../connect/connect.ts'
import type { Connection } from '../connect/connect.ts'
import { findTarget } from '../connect/find-server.ts'
import { LogBell } from './log-bell.ts'

/** How long after something went wrong, or where nothing can tell of new records, they are asked for again. */
const RETRY_MS = 500
/** Records that were missed while the server was away, at most; older ones are left out. */
const MAX_MISSED = 100_000

/** The record that was read last. */
type Place = Pick<LogRecord, 'id'> & Partial<Pick<LogRecord, 'timestamp'>>

const BEGINNING: Place = { id: '0' }

/**
 * Records in the order in which they were made: the newest so many, then all that come. What is new is told by the
 * server, and read by its number, so that nothing is lost or repeated when the connection or the server ends.
 *
 * @throws AppError, ApiError when the server refuses the caller, or can't be reached at first.
 */
export async function* followLogs(call: CommandCall, query: LogQuery): AsyncGenerator<LogRecord, never> {
  let connection = await connect(call, { readOnly: true })
  const bell = new LogBell(call, query)
  call.lifetime.defer(() => bell.close())
  bell.listenTo(connection.url)
  let last: Place | undefined
  for (let gone = false; ;) {
    try {
      const records = await newRecords(connection.client, query, last)
      if (gone) call.terminal.note(call.terminal.notePaint.dim('The server is back.'))
      gone = false
      yield* records
      last = records.at(-1) ?? last ?? BEGINNING
      await bell.ring(connection.url === undefined ? RETRY_MS : undefined)
    } catch (error) {
      if (!isGone(error)) throw error
      if (!gone) call.terminal.note(call.terminal.notePaint.dim('The server is gone; waiting for it.'))
      gone = true
      await bell.pause(RETRY_MS)
    }
    if (gone || connection.url === undefined) connection = (await serverAgain(call)) ?? connection
    bell.listenTo(connection.url)
  }
}

/** The records after the last one, oldest first. */
async function newRecords(client: Client, query: LogQuery, last: Place | undefined): Promise<LogRecord[]> {
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

function isGone(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 502 || error.status === 503
  return error instanceof TypeError || (error instanceof AppError && error.code === 'unreachable')
}

/** The project's server may come back under another address, or come to be. */
async function serverAgain(call: CommandCall): Promise<Connection | undefined> {
  const { url, config } = call.options
  if (url !== undefined) return undefined
  const target = await findTarget(process.cwd(), config)
  return target.kind === 'server' ? connect(call, { readOnly: true }) : undefined
}
