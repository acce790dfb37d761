import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { moveHistory } from '../../../../src/store/move/move-history.ts'
import { openDatabase } from '../../../../src/store/sqlite/driver.ts'
import { migrate } from '../../../../src/store/sqlite/migrations/migrate.ts'
import { createDatabase, describeOnPostgres } from '../../../support/postgres/test-database.ts'
import type { TestDatabase } from '../../../support/postgres/test-database.ts'
import { TempProject } from '../../../support/project/temp-project.ts'

// the files of a worker share their modules: those that see the mock are loaded for this file alone
vi.hoisted(() => vi.resetModules())
afterAll(() => void vi.resetModules())
vi.mock('../../../../src/store/sqlite/migrations/migrations.ts', () => ({
  SQLITE_MIGRATIONS: ['CREATE TABLE regions (name TEXT PRIMARY KEY) STRICT'],
}))

describeOnPostgres('a moved history', () => {
  let project: TempProject
  let database: TestDatabase
  beforeEach(async () => {
    project = new TempProject({ 'package.json': '{"name":"shop"}' })
    database = await createDatabase()
  })
  afterEach(async () => {
    await database.drop()
    project.remove()
  })

  const move = () =>
    moveHistory({
      file: project.path('old.db'),
      url: database.url,
      root: project.root,
      telemetry: true,
      onProgress: () => undefined,
    })

  test('says that the schema of a file was of an earlier release', async () => {
    const file = openDatabase(project.path('old.db'))
    migrate(file)
    file.exec('DROP TABLE regions; PRAGMA user_version = 1')
    file.close()
    expect((await move()).migratedFrom).toBe(1)
    await database.drop()
    database = await createDatabase()
    expect((await move()).migratedFrom).toBeUndefined()
  })
})
