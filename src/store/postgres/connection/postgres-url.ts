import { createHash } from 'node:crypto'
import { AppError } from '../../../lib/errors.ts'

/** A Postgres URL without the parameters that are this package's own. */
export interface PostgresUrl {
  /** For the pg package, which reads all other parameters itself. */
  readonly connectionString: string
  /** The parameter `schema`. */
  readonly schema: string | undefined
  /** The parameter `pool`: connections for writes, and as many for reads. */
  readonly poolSize: number
  /** The parameter `options`: settings of each session, such as `-c work_mem=64MB`. */
  readonly sessionOptions: string
}

const DEFAULT_POOL_SIZE = 4
const MAX_POOL_SIZE = 100
/** That of pg-boss is longer, and limited to 50 characters. */
const MAX_SCHEMA_LENGTH = 45
const SCHEMA = /^[a-z_][a-z0-9_]*$/
const HINT =
  'Use "postgres://user:password@host:5432/database". Percent-encode special characters: @ is %40, / is %2F, # is %23'

export function isPostgresUrl(url: string): boolean {
  return /^postgres(?:ql)?:/i.test(url)
}

/** @throws AppError `invalid_config` if the URL or one of this package's own parameters is not valid. */
export function parsePostgresUrl(text: string): PostgresUrl {
  // the error of URL has the whole text, with the password
  if (!/^postgres(?:ql)?:\/\//i.test(text) || !URL.canParse(text) || !canDecode(text))
    throw new AppError('invalid_config', 'database: the Postgres URL is not valid', { hint: HINT })
  const url = new URL(text)
  const { searchParams: parameters } = url
  const schema = parameters.get('schema') ?? undefined
  const pool = parameters.get('pool') ?? undefined
  const sessionOptions = parameters.get('options') ?? ''
  if (schema !== undefined) requireSchemaName(schema)
  const poolSize = pool === undefined ? DEFAULT_POOL_SIZE : parsePoolSize(pool)
  for (const name of ['schema', 'pool', 'options']) parameters.delete(name)
  return { connectionString: url.href, schema, poolSize, sessionOptions }
}

/** The schema of a project whose URL names none: `@acme/shop` → `agentserver_acme_shop`. */
export function defaultSchema(project: string): string {
  const words = project.toLowerCase().split(/[^a-z0-9]+/)
  const name = ['agentserver', ...words.filter((word) => word !== '')].join('_')
  if (name.length <= MAX_SCHEMA_LENGTH) return name
  const hash = createHash('sha256').update(project).digest('hex').slice(0, 8)
  return `${name.slice(0, MAX_SCHEMA_LENGTH - hash.length - 1)}_${hash}`
}

/** A URL to show, with its passwords replaced. It need not be valid. */
export function maskPassword(url: string): string {
  return url
    .replace(/^([a-z]+:\/\/[^:@/?#]*):.*@/is, '$1:***@')
    .replaceAll(/([?&](?:ssl)?password=)[^&#]*/gi, '$1***')
}

/** The password of a URL, decoded, if it has one. */
export function passwordOf(url: string): string | undefined {
  if (!URL.canParse(url) || !canDecode(url)) return undefined
  const { password, searchParams } = new URL(url)
  const found = searchParams.get('password') ?? decodeURIComponent(password)
  return found === '' ? undefined : found
}

function canDecode(url: string): boolean {
  const { username, password, pathname, hostname } = new URL(url)
  try {
    for (const part of [username, password, pathname, hostname]) decodeURIComponent(part)
    return true
  } catch {
    // a percent sign that is not encoded itself
    return false
  }
}

function requireSchemaName(schema: string): void {
  if (SCHEMA.test(schema) && schema.length <= MAX_SCHEMA_LENGTH && !schema.startsWith('pg_')) return
  throw new AppError('invalid_config', `database: "${schema}" is not a valid schema name`, {
    hint: `Use lower-case letters, digits and underscores in ?schema=…, at most ${MAX_SCHEMA_LENGTH}. Names must not start with a digit or "pg_"`,
  })
}

function parsePoolSize(text: string): number {
  const size = Number(text)
  if (Number.isInteger(size) && size >= 1 && size <= MAX_POOL_SIZE) return size
  throw new AppError('invalid_config', `database: "${text}" is not a valid pool size`, {
    hint: `Use a number from 1 to ${MAX_POOL_SIZE} in ?pool=…`,
  })
}
