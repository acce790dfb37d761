import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { PostgresServer } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with a `PostgresForTests`; the first request starts the server. */
    readonly postgresProvider: string
  }
}

export interface PostgresForTests {
  /** URL of a database, with the right to create databases. */
  readonly url: string
  /** Names of databases of this run start with this. */
  readonly prefix: string
}

interface Started {
  readonly found: PostgresForTests
  end(): Promise<void>
}

/** Provides one Postgres for the whole run: that of DATABASE_URL, or one that is started when a test needs it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['DATABASE_URL']
  // the product reads it, too: no process under test may get that of the tests
  delete process.env['DATABASE_URL']
  let started: Promise<Started> | undefined
  const server = createServer((_, response) => {
    started ??= given ? useGiven(given) : launch()
    started.then(
      ({ found }) => response.end(JSON.stringify(found)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  project.provide('postgresProvider', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return async () => {
    server.close()
    const ended = await started?.catch(() => undefined)
    await ended?.end()
  }
}

const PREFIX = 'agentserver_test_'

async function launch(): Promise<Started> {
  const server = await PostgresServer.launch()
  return { found: { url: server.url, prefix: PREFIX }, end: () => server.remove() }
}

/** Another run may use the same server: the databases of each run have a prefix of their own. */
async function useGiven(url: string): Promise<Started> {
  const prefix = `${PREFIX}${process.pid}_${Date.now().toString(36)}_`
  return { found: { url, prefix }, end: () => dropAll(url, prefix) }
}

async function dropAll(url: string, prefix: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ datname: string }>(
    'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
    [prefix],
  )
  for (const { datname } of rows) await client.query(`DROP DATABASE "${datname}" WITH (FORCE)`)
  await client.end()
}
