import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { describe, inject } from 'vitest'
import type { PostgresForTests } from './postgres-provider.ts'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

/** pg-boss needs Node 22.12, and so does everything that runs on Postgres. */
const SUPPORTED = major > 22 || (major === 22 && minor >= 12)

/** Tests that need Postgres: skipped, with the reason in their title, on a Node that pg-boss does not support. */
export function describeOnPostgres(title: string, tests: () => void): void {
  const reason = SUPPORTED ? '' : ` (needs Node 22.12, this is ${process.versions.node})`
  describe.skipIf(!SUPPORTED)(`${title}${reason}`, () => {
    tests()
  })
}

/** A database of a test, on the Postgres of the run. */
export interface TestDatabase {
  /** Add `?schema=` for another schema than the project's own. */
  readonly url: string
  query<Row extends object = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<Row[]>
  /** Closes its connections and refuses new ones, until the returned function is called. */
  takeAway(): Promise<() => Promise<void>>
  /** Removes it, also while it is in use. */
  drop(): Promise<void>
}

/** Creates an empty database. `drop` it after the test; what is left is removed at the end of the run. */
export async function createDatabase(): Promise<TestDatabase> {
  const { url: adminUrl, prefix } = await postgres()
  const name = `${prefix}${randomUUID().replaceAll('-', '')}`
  await queryAt(adminUrl, `CREATE DATABASE ${name}`)
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  return {
    url: url.href,
    query: (text, values) => queryAt(url.href, text, values),
    takeAway: async () => {
      await queryAt(adminUrl, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
      await queryAt(
        adminUrl,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
      )
      return async () => void (await queryAt(adminUrl, `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`))
    },
    drop: async () => void (await queryAt(adminUrl, `DROP DATABASE ${name} WITH (FORCE)`)),
  }
}

async function postgres(): Promise<PostgresForTests> {
  const response = await fetch(inject('postgresProvider'))
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as PostgresForTests
}

async function queryAt<Row extends object>(
  connectionString: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    return (await client.query<Row>(text, [...values])).rows
  } finally {
    await client.end()
  }
}
