import { Client } from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DatabaseProxy } from './database-proxy.ts'
import { createDatabase, describeOnPostgres } from './test-database.ts'
import type { TestDatabase } from './test-database.ts'

describeOnPostgres('the proxy before Postgres', () => {
  let database: TestDatabase
  let proxy: DatabaseProxy
  const clients: Client[] = []
  const connect = async (url: string) => {
    const client = new Client({ connectionString: url })
    client.on('error', () => undefined)
    await client.connect()
    clients.push(client)
    return client
  }
  beforeEach(async () => {
    database = await createDatabase()
  })
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.end().catch(() => undefined)))
    await proxy.close()
    await database.drop()
  })

  it('loses the answer to a commit that is stored', async () => {
    proxy = await DatabaseProxy.listen(database.url)
    await database.query('CREATE TABLE t (id int)')
    const client = await connect(proxy.url)
    proxy.loseAnswers(/INSERT/, 1)
    await expect(client.query('INSERT INTO t VALUES (1)')).rejects.toThrow('terminated')
    expect(await database.query('SELECT * FROM t')).toEqual([{ id: 1 }])
    const again = await connect(proxy.url)
    await again.query('INSERT INTO t VALUES (2)')
    expect(proxy.lost).toBe(1)
  })

  it('passes no notification when it drops them, and hides the process id of the session', async () => {
    proxy = await DatabaseProxy.listen(database.url, { dropsNotifications: true })
    const heard: string[] = []
    for (const url of [database.url, proxy.url]) {
      const client = await connect(url)
      client.on('notification', ({ payload = '' }) =>
        heard.push(`${payload} by ${url === proxy.url ? 'proxy' : 'server'}`),
      )
      await client.query('LISTEN topic')
    }
    await database.query("SELECT pg_notify('topic', 'word')")
    const [direct, pooled] = clients as (Client & { readonly processID: number })[]
    const pidOf = async (client: Client) =>
      (await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid as number
    // the answers come after the notifications
    expect(await pidOf(direct!)).toBe(direct!.processID)
    expect(await pidOf(pooled!)).not.toBe(pooled!.processID)
    await expect.poll(() => heard).toEqual(['word by server'])
  })
})
