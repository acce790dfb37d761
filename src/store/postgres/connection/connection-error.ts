import { AppError, messageOf } from '../../../lib/errors.ts'

/** The database can be reached, but somebody has to change something before it can be used. */
export class DatabaseSetupError extends AppError {
  constructor(message: string, hint: string) {
    super('unavailable', message, { hint })
  }
}

/** SQLSTATE codes and classes which mean that the server or this connection can't be used now. */
const STATES = /^(?:08|57P|53300$|28|3D000$|25006$|25P03$)/
const SYSTEM_CODES = /^(?:ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EPIPE|EHOST|ENET|ENOENT|EACCES|ERR_SSL|ERR_TLS)/
/** Errors of the pg package without a code. */
const MESSAGES =
  /^(?:Connection terminated|Query read timeout|Client (?:has encountered|was closed)|Cannot use a pool)/

const QUERY_CANCELED = '57014'

const HINTS: Readonly<Record<string, string>> = {
  '28P01': 'Check the user and the password of the URL',
  '28000': 'Check the user of the URL, and the rules of pg_hba.conf',
  '3D000': 'Create the database, or correct its name in the URL',
  '53300': 'Raise max_connections of the server, or lower ?pool= in the URL',
  '25006': 'The URL has to lead to the primary server',
  ENOTFOUND: 'Check the host of the URL',
}

const DEFAULT_HINT = 'Check that Postgres runs and can be reached from here'
const TLS_HINT = 'Add the certificate with ?sslrootcert=…, or set ?sslmode=no-verify or ?sslmode=disable'

/** Whether a query failed because of its connection, and not because of the query. */
export function isConnectionError(error: unknown): boolean {
  const code = codeOf(error)
  return code === undefined ? MESSAGES.test(messageOf(error)) : STATES.test(code) || SYSTEM_CODES.test(code)
}

/** Whether the server has ended a query that took longer than `statement_timeout`. */
export function isTimeout(error: unknown): boolean {
  return codeOf(error) === QUERY_CANCELED
}

/** Whether no connection of a pool became free in time. */
export function isPoolTimeout(error: unknown): boolean {
  return messageOf(error) === 'timeout exceeded when trying to connect'
}

/** The error to report when finding out whether the database can be used has failed. */
export function probeError(place: string, error: unknown): AppError {
  if (error instanceof AppError) return error
  if (isConnectionError(error) || codeOf(error) === undefined) return unavailable(place, error)
  return new DatabaseSetupError(`The database ${place} cannot be used: ${messageOf(error)}`, DEFAULT_HINT)
}

/** The error to throw while a database can't be used. `place` is its name and host, without the password. */
export function unavailable(place: string, error: unknown): AppError {
  const code = codeOf(error)
  return new AppError('unavailable', `The database ${place} cannot be used: ${reasonOf(error)}`, {
    hint: hintOf(error, code),
  })
}

/** The error for callers of the API, which must not learn where the database is. Its cause is for operators. */
export function publicProblem(problem: AppError): AppError {
  return new AppError('unavailable', 'The database cannot be used', {
    cause: problem,
    ...(problem.hint !== undefined && { hint: problem.hint }),
  })
}

function hintOf(error: unknown, code = ''): string {
  return HINTS[code] ?? (/certificate|ssl|tls/i.test(`${code} ${messageOf(error)}`) ? TLS_HINT : DEFAULT_HINT)
}

/** Node reports the attempts for several addresses of one host in an error without a message. */
function reasonOf(error: unknown): string {
  const message = messageOf(error)
  return message === '' ? `connection failed (${codeOf(error) ?? 'unknown reason'})` : message
}

function codeOf(error: unknown): string | undefined {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : undefined
}
