import { afterEach, expect, it } from 'vitest'
import { createDatabase, describeOnPostgres } from './test-database.ts'
import type { TestDatabase } from './test-database.ts'

describeOnPostgres('a database for a test', () => {
  const databases: TestDatabase[] = []
  const create = async () => {
    const database = await createDatabase()
    databases.push(database)
    return database
  }
  afterEach(async () => {
    for (const database of databases.splice(0)) await database.drop()
  })

  it('is empty, and shares nothing with another one', async () => {
    const [one, other] = await Promise.all([create(), create()])
    await one.query('CREATE TABLE t (id text); INSERT INTO t VALUES (1)')
    expect(await one.query('SELECT * FROM t')).toEqual([{ id: '1' }])
    await expect(other.query('SELECT * FROM t')).rejects.toThrow('does not exist')
  })

  it('is dropped while it is in use', async () => {
    const database = await create()
    const sleeping = database.query('SELECT pg_sleep(600)').catch((error: Error) => error.message)
    await expect
      .poll(
        async () =>
          (await database.query("SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep%'")).length,
      )
      .toBe(2)
    await databases.pop()?.drop()
    expect(await sleeping).toMatch(/terminating connection/)
  })

  it('is not in the environment of the processes under test', () => {
    expect(process.env['DATABASE_URL']).toBeUndefined()
  })
})
