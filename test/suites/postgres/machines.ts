import pg from 'pg'
import { PostgresAgentRuns } from '../../../src/store/postgres/agents/agent-runs.ts'
import { PostgresDatabases } from '../../../src/store/postgres/connection/postgres-databases.ts'
import { parsePostgresUrl } from '../../../src/store/postgres/connection/postgres-url.ts'
import { postgresLogs } from '../../../src/store/postgres/logs/logs.ts'
import { PostgresSql } from '../../../src/store/postgres/postgres-sql.ts'
import { postgresTraces } from '../../../src/store/postgres/traces/traces.ts'
import { SqlConversations } from '../../../src/store/sql/conversations.ts'
import type { Store } from '../../../src/store/store.ts'
import { createMigratedDatabase, SCHEMA } from '../../support/postgres/migrated-database.ts'
import type { TestDatabase } from '../../support/postgres/test-database.ts'

/** Agent runs, conversations, logs and traces of a machine. */
export interface Rooms extends Pick<Store, 'agentRuns' | 'conversations' | 'logs' | 'traces'> {
  readonly ownerEpoch: number
  readonly databases: PostgresDatabases
  /** The others take it for dead from now on; it can still write. */
  die(): void
}

/** Machines that share a database. */
export class Machines {
  readonly database: TestDatabase
  readonly #alive = new Set<number>()
  readonly #opened: PostgresDatabases[] = []
  #epochs = 1000

  private constructor(database: TestDatabase) {
    this.database = database
  }

  static async create(): Promise<Machines> {
    return new Machines(await createMigratedDatabase())
  }

  async start(): Promise<Rooms> {
    // earlier machines have greater epochs: a comparison by size would take them for alive
    const ownerEpoch = this.#epochs--
    const databases = new PostgresDatabases({
      pg,
      url: parsePostgresUrl(this.database.url),
      schema: SCHEMA,
      prepare: async () => undefined,
      onHealth: () => undefined,
    })
    await databases.open()
    this.#opened.push(databases)
    this.#alive.add(ownerEpoch)
    const aliveEpochs = async () => [...this.#alive]
    const { telemetry: database, reads, writes } = databases
    const jobs = { clockOffset: 0, add: async () => undefined, drop: async () => undefined }
    const sql = new PostgresSql({ reads, writes, jobs })
    const telemetrySql = new PostgresSql({ reads: database, writes: database, jobs })
    const telemetry = { database, sql: telemetrySql, ownerEpoch, aliveEpochs }
    return {
      ownerEpoch,
      databases,
      agentRuns: new PostgresAgentRuns({
        sql,
        writes,
        ownerEpoch,
        aliveEpochs,
        onCommitted: () => undefined,
        closing: new AbortController().signal,
      }),
      conversations: new SqlConversations(sql),
      logs: postgresLogs(telemetry),
      traces: postgresTraces(telemetry),
      die: () => void this.#alive.delete(ownerEpoch),
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#opened.map((databases) => databases.close()))
    await this.database.drop()
  }
}
