import { randomInt } from 'node:crypto'
import * as pg from 'pg'
import type { Pool } from 'pg'
import * as pgBoss from 'pg-boss'
import { nameOf } from '../../../../suites/dispatcher/recorded-jobs.ts'
import type { Job, JobResult, JobServer } from '../../../../../src/store/dispatcher.ts'
import { NotificationClient } from '../../../../../src/store/postgres/changes/notification-client.ts'
import { BossDispatcher } from '../../../../../src/store/postgres/dispatch/boss-dispatcher.ts'
import type {
  PostgresDatabase,
  PostgresQueries,
  Query,
} from '../../../../../src/store/postgres/connection/database.ts'
import { createMigratedDatabase, SCHEMA } from '../../../../support/postgres/migrated-database.ts'
import type { TestDatabase } from '../../../../support/postgres/test-database.ts'

const TIMING = { beatMs: 150, leaseMs: 1500, lateMs: 600, pollMs: 50 }

interface MachineOptions {
  readonly room?: number
  readonly run?: (job: Job, attempt: number) => Promise<JobResult>
  /** Without notifications, as behind PgBouncer. */
  readonly isDeaf?: boolean
}

/** One of several machines in this process. */
export class TestMachine {
  readonly ownerEpoch = randomInt(2 ** 47)
  readonly dispatcher: BossDispatcher
  /** Jobs that it has done, in order. */
  readonly jobs: Job[] = []
  readonly deaths: number[] = []
  readonly log: string[] = []
  room: number
  /** Its connection to the database fails. */
  isCutOff = false
  readonly #run: (job: Job, attempt: number) => Promise<JobResult>
  readonly #notifications: NotificationClient

  constructor(url: string, { room = 1000, run = async () => 'done', isDeaf = false }: MachineOptions) {
    this.room = room
    this.#run = run
    const databases = {
      schema: SCHEMA,
      listens: !isDeaf,
      connect: () => connect(url),
      createPool: (max: number) => this.#createPool(url, max),
      reads: this.#database(url),
      writes: this.#database(url),
    }
    this.#notifications = new NotificationClient({ databases })
    const write = (_: unknown, text = '') => void this.log.push(text)
    const log = (first: unknown, text?: string) =>
      typeof first === 'string' ? write(undefined, first) : write(first, text)
    this.dispatcher = new BossDispatcher({
      pgBoss,
      databases,
      ownerEpoch: this.ownerEpoch,
      notifications: this.#notifications,
      logger: { info: log, warn: log, debug: () => undefined },
      timing: TIMING,
    })
  }

  get ids(): string[] {
    return this.jobs.map(nameOf)
  }

  async serve(): Promise<void> {
    await this.dispatcher.serve(this.#server())
  }

  async stop(): Promise<void> {
    await this.dispatcher.close()
    await this.#notifications.close()
  }

  #server(): JobServer {
    return {
      run: async (job, attempt) => {
        const result = await this.#run(job, attempt)
        if (result === 'done') this.jobs.push(job)
        return result
      },
      room: () => this.room,
      status: () => ({ release: '1', load: 0.25, executions: 3 }),
      onDeath: (ownerEpoch) => void this.deaths.push(ownerEpoch),
    }
  }

  /** As the store's, on a connection for each transaction. */
  #database(url: string): PostgresDatabase {
    const transaction = async <Result>(work: (tx: PostgresQueries) => Promise<Result>) => {
      const client = await connect(url)
      try {
        await client.query('BEGIN')
        const result = await work({
          rows: async <Row>({ text, values = [] }: Query) =>
            (await client.query(text, [...values])).rows as Row[],
          change: async ({ text, values = [] }) => (await client.query(text, [...values])).rowCount ?? 0,
        })
        await client.query('COMMIT')
        return result
      } finally {
        await client.end()
      }
    }
    return {
      transaction,
      rows: (query) => transaction((tx) => tx.rows(query)),
      change: (query) => transaction((tx) => tx.change(query)),
    }
  }

  #createPool(connectionString: string, max: number): Pool {
    const pool = new pg.Pool({ connectionString, max })
    const connectPool = pool.connect.bind(pool)
    const query = pool.query.bind(pool)
    const cutOff = () => Promise.reject(Object.assign(new Error('cut off'), { code: 'ECONNRESET' }))
    pool.connect = ((...args: []) => (this.isCutOff ? cutOff() : connectPool(...args))) as typeof pool.connect
    pool.query = ((...args: [string]) => (this.isCutOff ? cutOff() : query(...args))) as typeof pool.query
    pool.on('error', () => undefined)
    return pool
  }
}

/** Machines that share a database. */
export class TestMachines {
  readonly database: TestDatabase
  readonly #all: TestMachine[] = []

  private constructor(database: TestDatabase) {
    this.database = database
  }

  static async create(): Promise<TestMachines> {
    return new TestMachines(await createMigratedDatabase())
  }

  /** A machine that others know, and that takes no jobs yet. */
  async join(options: MachineOptions = {}): Promise<TestMachine> {
    const machine = new TestMachine(this.database.url, options)
    this.#all.push(machine)
    await machine.dispatcher.start()
    return machine
  }

  async serve(options: MachineOptions = {}): Promise<TestMachine> {
    const machine = await this.join(options)
    await machine.serve()
    return machine
  }

  /** Stores running executions of an owner. Resolves with their ids. */
  async run(ownerEpoch: number, count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, (_, i) => `${ownerEpoch}-${i}`)
    await this.database.query(
      `INSERT INTO ${SCHEMA}.executions (id, status, owner_epoch, workflow_id, workflow_name, created_at, updated_at,
         definition_hash, trace_id, span_id)
       SELECT id, 'running', $1, 'order', 'order', 1, 1, '', '', '' FROM unnest($2::text[]) id`,
      [ownerEpoch, ids],
    )
    return ids
  }

  /** Makes a machine the owner of an execution, as the engine does when it continues it. */
  async own(id: string, ownerEpoch: number): Promise<void> {
    await this.database.query(`UPDATE ${SCHEMA}.executions SET owner_epoch = $1 WHERE id = $2`, [
      ownerEpoch,
      id,
    ])
  }

  async remove(): Promise<void> {
    await Promise.all(this.#all.map((machine) => machine.stop()))
    await this.database.drop()
  }
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => undefined)
  await client.connect()
  return client
}
