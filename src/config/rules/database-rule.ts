import { AppError } from '../../lib/errors.ts'
import { checkDatabaseUrl } from '../../store/database-url.ts'
import { isPostgresUrl, maskPassword } from '../../store/postgres/connection/postgres-url.ts'

const DEFAULT_DATABASE = 'file:.agentserver/data.db'

type Environment = Readonly<Record<string, string | undefined>>

/** The URL of the database of a configuration, or why there is none. */
export type DatabaseChoice = { readonly url: string } | { readonly problem: string }

/** Chooses between the option `database`, the variable DATABASE_URL, and the default. */
export function chooseDatabase(configured: string | undefined, env: Environment): DatabaseChoice {
  const choice = named(configured, env)
  const problem = 'problem' in choice ? undefined : urlProblem(choice.url)
  return problem === undefined ? choice : { problem }
}

function named(configured: string | undefined, env: Environment): DatabaseChoice {
  const variable = env['DATABASE_URL']?.trim() ?? ''
  const fromEnv = isPostgresUrl(variable) ? variable : undefined
  if (configured === undefined) return { url: fromEnv ?? DEFAULT_DATABASE }
  if (fromEnv === undefined || isSameDatabase(configured, fromEnv)) return { url: configured }
  const [option, value] = [configured, fromEnv].map(withoutPassword)
  const both = `database: "${option}" and DATABASE_URL "${value}" name two databases`
  if (!isPostgresUrl(configured))
    return { problem: `${both}. Remove the option to use Postgres, or DATABASE_URL to use SQLite` }
  return { problem: `${both}${option === value ? ', as their passwords differ' : ''}. Remove one of them` }
}

/** Why a URL names no database. */
function urlProblem(url: string): string | undefined {
  try {
    checkDatabaseUrl(url)
    return undefined
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return `${error.message}. ${error.hint}`
  }
}

/** The problems of the option `observability.store`. */
export function telemetryProblems(store: string | undefined, database: DatabaseChoice): string[] {
  if (store === undefined || 'problem' in database || isPostgresUrl(database.url)) return []
  return [
    `observability.store: only with a Postgres database. Logs and traces are in "${withoutPassword(database.url)}", with everything else`,
  ]
}

/** Why DATABASE_URL is not used, if it is set, but not for Postgres: platforms and other tools set it as well. */
export function ignoredDatabaseUrl(env: Environment): string | undefined {
  const url = env['DATABASE_URL']?.trim() ?? ''
  if (url === '' || isPostgresUrl(url)) return undefined
  const scheme = /^[a-z][a-z\d+.-]*:/i.exec(url)?.[0]
  return `DATABASE_URL is ignored: ${scheme === undefined ? 'it is not a URL' : `"${scheme}" is not "postgres:"`}`
}

/** A URL to show. Only that of Postgres has parts that are known not to be secret. */
function withoutPassword(url: string): string {
  return isPostgresUrl(url) ? maskPassword(url) : url.replace(/:\/\/.*/, '://…')
}

/** Whether two URLs name the same database. The option may name a schema that the variable leaves open. */
function isSameDatabase(configured: string, fromEnv: string): boolean {
  if (configured === fromEnv) return true
  if (!isPostgresUrl(configured) || !URL.canParse(configured) || !URL.canParse(fromEnv)) return false
  const [option, variable] = [new URL(configured), new URL(fromEnv)]
  const schema = option.searchParams.get('schema')
  if (schema !== null && !variable.searchParams.has('schema')) variable.searchParams.set('schema', schema)
  return comparable(option) === comparable(variable)
}

/** `postgres:` and `postgresql:`, no port and the default one, and any order of parameters mean the same. */
function comparable({ username, password, hostname, port, pathname, searchParams }: URL): string {
  const parameters = [...searchParams].map(String).toSorted()
  return JSON.stringify([username, password, hostname, port === '5432' ? '' : port, pathname, parameters])
}
