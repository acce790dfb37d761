import pg from 'pg'
import type { UsageStore } from '../../../src/store/usage-store.ts'
import type { ScheduledJob } from '../../../src/store/dispatcher.ts'
import type { ExecutionStore } from '../../../src/store/execution-store.ts'
import type { PostgresQueries } from '../../../src/store/postgres/connection/database.ts'
import { PostgresDatabases } from '../../../src/store/postgres/connection/postgres-databases.ts'
import { parsePostgresUrl } from '../../../src/store/postgres/connection/postgres-url.ts'
import { executionPruner } from '../../../src/store/postgres/executions/execution-pruner.ts'
import { PostgresExecutionWriter } from '../../../src/store/postgres/executions/execution-writer.ts'
import { PostgresSql } from '../../../src/store/postgres/postgres-sql.ts'
import { foundByQuery } from '../../../src/store/postgres/search/postgres-search.ts'
import { SqlUsage } from '../../../src/store/sql/usage.ts'
import { sqlExecutions } from '../../../src/store/sql/executions.ts'
import { createMigratedDatabase, SCHEMA } from './migrated-database.ts'
import type { TestDatabase } from './test-database.ts'

/** The executions of one of several machines that share a database. */
export interface ExecutionMachine {
  readonly ownerEpoch: number
  readonly executions: ExecutionStore
  readonly usage: UsageStore
  /** The ids that were reported for each commit. */
  readonly committed: (readonly string[])[]
  /** As when its store closes: its writes no longer wait for the database. */
  abort(): void
}

interface JoinOptions {
  /** URL of the database. Default: without a detour. */
  readonly url?: string
}

/** Machines that share a database, which has a table `jobs` for their jobs. */
export class ExecutionMachines {
  readonly database: TestDatabase
  readonly #databases: PostgresDatabases[] = []

  private constructor(database: TestDatabase) {
    this.database = database
  }

  static async create(): Promise<ExecutionMachines> {
    const database = await createMigratedDatabase()
    await database.query('CREATE TABLE public.jobs (key text, number int GENERATED ALWAYS AS IDENTITY)')
    return new ExecutionMachines(database)
  }

  /** Opens the database as a machine with this owner epoch. */
  async join(ownerEpoch: number, { url = this.database.url }: JoinOptions = {}): Promise<ExecutionMachine> {
    const databases = new PostgresDatabases({
      pg,
      url: parsePostgresUrl(url),
      schema: SCHEMA,
      prepare: async () => undefined,
      onHealth: () => undefined,
    })
    this.#databases.push(databases)
    await databases.open()
    const committed: (readonly string[])[] = []
    const closing = new AbortController()
    const jobs = { clockOffset: 0, add: addJobs, drop: dropJobs }
    const { reads, writes } = databases
    const sql = new PostgresSql({ reads, writes, jobs })
    const writer = new PostgresExecutionWriter({
      database: writes,
      ownerEpoch,
      jobs,
      onCommitted: (ids) => void committed.push(ids),
      closing: closing.signal,
    })
    const executions: ExecutionStore = {
      ...sqlExecutions(sql, foundByQuery),
      write: (batch) => writer.write(batch),
      prune: executionPruner(sql),
    }
    const usage = new SqlUsage(sql)
    return { ownerEpoch, executions, usage, committed, abort: () => closing.abort() }
  }

  /** The keys of the stored jobs, in order. */
  async jobs(): Promise<string[]> {
    const rows = await this.database.query<{ key: string }>('SELECT key FROM public.jobs ORDER BY number')
    return rows.map(({ key }) => key)
  }

  /** Closes the connections of all machines. */
  async close(): Promise<void> {
    await Promise.all(this.#databases.splice(0).map((databases) => databases.close()))
  }

  async remove(): Promise<void> {
    await this.close()
    await this.database.drop()
  }
}

async function addJobs(tx: PostgresQueries, jobs: readonly ScheduledJob[]): Promise<void> {
  for (const { key } of jobs)
    await tx.change({ text: 'INSERT INTO public.jobs (key) VALUES ($1)', values: [key] })
}

async function dropJobs(tx: PostgresQueries, keys: readonly string[]): Promise<void> {
  await tx.change({ text: 'DELETE FROM public.jobs WHERE key = ANY($1)', values: [[...keys]] })
}
