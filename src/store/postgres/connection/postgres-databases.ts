import type { Client, ClientConfig, Pool } from 'pg'
import type pg from 'pg'
import { AppError } from '../../../lib/errors.ts'
import { DatabaseSetupError, probeError, unavailable } from './connection-error.ts'
import type { PostgresDatabase } from './database.ts'
import { PoolDatabase } from './pool-database.ts'
import type { OpenPool } from './pool-database.ts'
import { PostgresHealth } from './postgres-health.ts'
import type { PostgresUrl } from './postgres-url.ts'
import { inspectSession, isRefusedSetting } from './session.ts'
import type { Session } from './session.ts'

export type PgPackage = Pick<typeof pg, 'Client' | 'Pool' | 'types'>

export interface PostgresDatabasesOptions {
  readonly pg: PgPackage
  readonly url: PostgresUrl
  readonly schema: string
  /** Prepares the schema when the database has been reached for the first time. */
  readonly prepare: (client: Client, databases: PostgresDatabases) => Promise<void>
  readonly onHealth: (problem: AppError | undefined) => void
}

const CONNECT_TIMEOUT_MS = 5000
const STATEMENT_TIMEOUT_MS = 30_000
/** Ends queries whose connection was lost without notice, as by a firewall. */
const RESPONSE_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5000
/** A process that is stopped within a transaction would keep its rows locked. */
const IDLE_TRANSACTION_TIMEOUT_MS = 10_000
const KEEP_ALIVE_DELAY_MS = 10_000
const IDLE_CONNECTION_MS = 60_000

/** A query that a server can answer only if it is well, with a time-out of its own. */
const PROBE = { text: 'SELECT 1', query_timeout: 5000 } as { text: string }

const INT8 = 20
const INT8_ARRAY: number = 1016

interface OpenPools {
  readonly writes: OpenPool
  readonly reads: OpenPool
  readonly telemetry: OpenPool
}

/**
 * The connections of a process to its database, in pools with a purpose, so that none waits for the connections of another.
 * The pools are opened when the database can be reached.
 */
export class PostgresDatabases {
  /** Changes of executions, agent runs and conversations. */
  readonly writes: PostgresDatabase
  readonly reads: PostgresDatabase
  /** Logs and traces. */
  readonly telemetry: PostgresDatabase
  /** The project's schema, a name that needs no quotes. It is the search path of each query. */
  readonly schema: string
  readonly health: PostgresHealth
  /** Name and host of the database. */
  readonly place: string
  readonly #options: PostgresDatabasesOptions
  readonly #pools: Pool[] = []
  readonly #Client: typeof Client
  #session: Session | undefined
  #open: OpenPools | undefined
  /** Whether connections start with settings. Some poolers refuse those. */
  #startsWithSettings = true

  constructor(options: PostgresDatabasesOptions) {
    this.#options = options
    this.schema = options.schema
    const sessionOptions = () => this.#sessionOptions()
    // pools are created before it is known whether the server takes settings
    this.#Client = class extends options.pg.Client {
      constructor(config: ClientConfig) {
        super({ ...config, ...sessionOptions() })
      }
    }
    const { database, host, port } = new options.pg.Client(options.url.connectionString)
    this.place = `${database} on ${host}:${port}`
    this.health = new PostgresHealth({ probe: () => this.#probe(), onHealth: options.onHealth })
    this.writes = this.#database('writes')
    this.reads = this.#database('reads')
    this.telemetry = this.#database('telemetry')
  }

  /**
   * Whether a connection can LISTEN. A pooler such as PgBouncer shares connections between clients, which then poll.
   * `false` until the database has been reached.
   */
  get listens(): boolean {
    return this.#session?.isDirect ?? false
  }

  /**
   * Opens the pools. With `retry`, a database that can't be reached is a problem of its health, and is tried again.
   *
   * @throws AppError `unavailable` if it can't be reached, and DatabaseSetupError if somebody has to change it first.
   */
  async open({ retry = false } = {}): Promise<void> {
    try {
      await this.#probe()
      this.health.succeeded()
    } catch (error) {
      if (retry && !(error instanceof DatabaseSetupError)) return this.health.failed(error as AppError)
      await this.close()
      throw error
    }
  }

  /** Finds out whether the database can be used; the first time that it can, opens the pools. */
  async #probe(): Promise<void> {
    const client = await this.#connect().catch((error: unknown) => {
      throw unavailable(this.place, error)
    })
    try {
      if (this.#open) await client.query(PROBE)
      else await this.#prepare(client)
    } catch (error) {
      throw probeError(this.place, error)
    } finally {
      // where the connection was lost without notice, its end takes long
      client.end().catch(() => undefined)
    }
  }

  /** Opens a connection outside the pools, to LISTEN. Its owner handles `error` and ends it. Rejects where none can. */
  async connect(): Promise<Client> {
    if (!this.listens) throw new AppError('unavailable', 'The database does not notify')
    return this.#connectOnce()
  }

  async #connectOnce(): Promise<Client> {
    const client = new this.#Client(this.#config())
    // an error without a listener would end the process
    client.on('error', () => undefined)
    await client.connect()
    return client
  }

  /** Opens a pool of at most `max` connections, which its caller ends. Queries fail after `responseMs`. */
  readonly createPool = (max: number, responseMs = RESPONSE_TIMEOUT_MS): Pool => {
    const pool = new this.#options.pg.Pool({
      ...this.#config(),
      Client: this.#Client,
      connectionTimeoutMillis: Math.min(responseMs, CONNECT_TIMEOUT_MS),
      query_timeout: responseMs,
      max,
      idleTimeoutMillis: IDLE_CONNECTION_MS,
    })
    // in use or not, an error without a listener would end the process; a query that it fails reports it too
    pool.on('connect', (client) => client.on('error', () => undefined))
    pool.on('error', () => this.health.suspect())
    return pool
  }

  async close(): Promise<void> {
    await this.health.close()
    this.#open = undefined
    await Promise.all(this.#pools.splice(0).map((pool) => pool.end()))
  }

  async #connect(): Promise<Client> {
    try {
      return await this.#connectOnce()
    } catch (error) {
      if (!isRefusedSetting(error)) throw error
      this.#startsWithSettings = false
      return this.#connectOnce()
    }
  }

  async #prepare(client: Client): Promise<void> {
    const { schema, place } = this
    const session = await inspectSession(client, { schema, place })
    this.#session = session
    await this.#options.prepare(client, this)
    const { poolSize } = this.#options.url
    this.#open = {
      writes: this.#openPool(poolSize, session),
      reads: this.#openPool(poolSize, session),
      telemetry: this.#openPool(Math.ceil(poolSize / 2), session),
    }
  }

  #database(name: 'writes' | 'reads' | 'telemetry'): PoolDatabase {
    return new PoolDatabase({ place: this.place, health: this.health, pool: () => this.#open?.[name] })
  }

  #openPool(max: number, { isDirect, keepsSettings }: Session): OpenPool {
    const pool = this.createPool(max)
    this.#pools.push(pool)
    const settings = Object.entries(this.#settings()).map(([name, value]) => `SET LOCAL ${name} = ${value}`)
    return { pool, prepares: isDirect, settings: keepsSettings ? '' : settings.join(';') }
  }

  #config(): ClientConfig {
    const { url, pg } = this.#options
    return {
      connectionString: url.connectionString,
      application_name: 'agentserver',
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: RESPONSE_TIMEOUT_MS,
      types: { getTypeParser: (oid, format) => int8Parser(pg, oid) ?? pg.types.getTypeParser(oid, format) },
    }
  }

  /** What the sessions of connections start with. */
  #sessionOptions(): Pick<ClientConfig, 'options'> {
    if (!this.#startsWithSettings) return {}
    const settings = Object.entries(this.#settings()).map(([name, value]) => `-c ${name}=${value}`)
    return { options: [...settings, this.#options.url.sessionOptions].join(' ').trim() }
  }

  #settings(): Readonly<Record<string, string | number>> {
    return {
      search_path: this.schema,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
    }
  }
}

/** Times and counters are below 2^53. A global parser would change those of the project's own code. */
function int8Parser({ types }: PgPackage, oid: number): ((text: string) => unknown) | undefined {
  if (oid === INT8) return Number
  if (oid !== INT8_ARRAY) return undefined
  const parse = types.getTypeParser(INT8_ARRAY) as unknown as (text: string) => (string | null)[]
  return (text) => parse(text).map((value) => (value === null ? null : Number(value)))
}
