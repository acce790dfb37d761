import { expect, it, vi } from 'vitest'
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts'
import { createDatabase, describeOnPostgres } from '../../support/postgres/test-database.ts'

const record = (message: string) => ({
  id: 1024,
  timestamp: 1,
  level: 30,
  message,
  attributes: '{}',
  traceId: null,
  spanId: null,
  executionId: null,
  workflowId: null,
  agentId: null,
})

describeOnPostgres('a store whose database is away', () => {
  it('stores logs when it is back, fails reads meanwhile, and closes without waiting', async () => {
    const database = await createDatabase()
    const store = await openPostgresStore({ url: database.url, root: '/', migrate: true })
    try {
      const bringBack = await database.takeAway()
      await vi.waitFor(() => expect(store.health.problem).toBeDefined())
      const storing = store.logs.insert([record('while it was away')])
      await expect(store.logs.count()).rejects.toThrow('cannot be used')
      await bringBack()
      await storing
      expect(await store.logs.list({}, { limit: 10 })).toMatchObject([{ message: 'while it was away' }])
      await database.takeAway()
      await vi.waitFor(() => expect(store.health.problem).toBeDefined())
      const failure = store.logs.insert([record('too late')]).catch((error: Error) => error.message)
      await store.close()
      expect(await failure).toContain('cannot be used')
    } finally {
      await store.close()
      await database.drop()
    }
  })
})
