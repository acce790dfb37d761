import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openDatabase } from '../../../src/store/sqlite/driver.ts'
import type { Database } from '../../../src/store/sqlite/driver.ts'
import { migrate } from '../../../src/store/sqlite/migrations/migrate.ts'
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { TempProject } from '../../support/project/temp-project.ts'
import { executionRow } from './execution-rows.ts'

const released = vi.hoisted(() => ({ fails: false }))

// the files of a worker share their modules: those that see the mock are loaded for this file alone
vi.hoisted(() => vi.resetModules())
afterAll(() => void vi.resetModules())
vi.mock('../../../src/store/sqlite/migrations/migrations.ts', () => ({
  SQLITE_MIGRATIONS: [
    'ALTER TABLE executions ADD COLUMN region TEXT; CREATE TABLE regions (name TEXT PRIMARY KEY) STRICT',
    (database: Database) => {
      database.exec(`UPDATE executions SET region = 'north'`)
      if (released.fails) throw new Error('The power is gone')
      database.exec(`INSERT INTO regions VALUES ('north')`)
    },
  ],
}))

const project = new TempProject()
afterAll(() => project.remove())
let files = 0
let file: string

/** A file as the release with schema version 1 leaves it. */
beforeEach(() => {
  released.fails = false
  file = project.path(`data/${++files}/data.db`)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  const database = openDatabase(file)
  migrate(database)
  database.exec('DROP TABLE regions; ALTER TABLE executions DROP COLUMN region; PRAGMA user_version = 1')
  const row = executionRow({ id: 'kept' })
  database
    .prepare(
      `INSERT INTO executions (id, workflow_id, workflow_name, status, owner_epoch, created_at, updated_at,
        definition_hash, trace_id, span_id) VALUES (?, ?, ?, 'running', 1, 1, 1, 'h', 't', 's')`,
    )
    .run(row.id, row.workflowId, row.workflowName)
  database.exec(`INSERT INTO payloads VALUES (1, '"its input"', '{}', NULL)`)
  database.close()
})

const inFile = <T>(read: (database: Database) => T): T => {
  const database = openDatabase(file)
  try {
    return read(database)
  } finally {
    database.close()
  }
}
const valueOf = (sql: string) => inFile((database) => Object.values(database.prepare(sql).get() ?? {})[0])
const version = () => valueOf('PRAGMA user_version')
const shape = (database: Database) =>
  database.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name').all()

describe('a database of an earlier release', () => {
  it('is migrated when it is opened, with its records, and a line before and after', async () => {
    const lines: string[] = []
    const log = (line: unknown) => void lines.push(String(line))
    const store = openSqliteStore({ file, logger: { info: log, warn: log, debug: log } })
    expect(await store.executions.get('kept')).toMatchObject({ id: 'kept', input: '"its input"' })
    await store.close()
    expect(version()).toBe(3)
    expect(valueOf('SELECT region FROM executions')).toBe('north')
    expect(lines).toEqual([
      expect.stringMatching(
        /^Migrating the database .*data\.db \(\d+ KB\) from schema version 1 to 3, 2 steps$/,
      ),
      `Copied the database to ${file}.before-1, which is kept for 7 days`,
      expect.stringMatching(/^Migrated the database in \d+\.\d s: it has schema version 3 now$/),
    ])
  })

  it('is copied before, with what was in its WAL, readable by its owner only', async () => {
    const writer = openDatabase(file)
    writer.exec('PRAGMA journal_mode = WAL; UPDATE payloads SET context = 1')
    await openSqliteStore({ file }).close()
    writer.close()
    const copy = openDatabase(`${file}.before-1`)
    expect(copy.prepare('PRAGMA user_version').get()).toMatchObject({ user_version: 1 })
    expect(copy.prepare('SELECT input, context FROM payloads').all()).toEqual([
      { input: '"its input"', context: '1' },
    ])
    copy.close()
    if (process.platform !== 'win32') expect(fs.statSync(`${file}.before-1`).mode & 0o077).toBe(0)
    expect(fs.readdirSync(path.dirname(file)).filter((name) => name.includes('partial'))).toEqual([])
  })

  it('is not migrated when the copy cannot be written, and says how to go on', () => {
    // a directory in the place of the copy
    fs.mkdirSync(`${file}.before-1/full`, { recursive: true })
    expect(() => openSqliteStore({ file })).toThrow(
      expect.objectContaining({
        code: 'unavailable',
        message: expect.stringContaining(
          `The database ${file} cannot be copied before its schema is migrated: `,
        ),
        hint: expect.stringMatching(
          /^Nothing was changed\. Free up to \d+ KB in .*, or allow the server to write .*before-1, and start again$/,
        ),
      }),
    )
    expect(version()).toBe(1)
  })

  it('loses its copy a week later, and no other file', async () => {
    const clock = { now: () => Date.now() }
    const store = openSqliteStore({ file, clock })
    for (const name of ['before-restore-1', 'before-1.sql', 'rescued-1'])
      fs.writeFileSync(`${file}.${name}`, '')
    await store.giveSpaceBack()
    expect(fs.existsSync(`${file}.before-1`)).toBe(true)
    clock.now = () => Date.now() + 8 * 24 * 3_600_000
    await store.giveSpaceBack()
    await store.close()
    const others = fs.readdirSync(path.dirname(file)).filter((name) => name.startsWith('data.db.'))
    expect(others.toSorted()).toEqual([
      'data.db.before-1.sql',
      'data.db.before-restore-1',
      'data.db.rescued-1',
    ])
  })

  it('has the schema of a new one then', async () => {
    await openSqliteStore({ file }).close()
    const fresh = openDatabase(':memory:')
    migrate(fresh)
    expect(inFile(shape)).toEqual(shape(fresh))
    fresh.close()
  })

  it('keeps what a failed migration has not finished, and the next start continues there', async () => {
    released.fails = true
    expect(() => openSqliteStore({ file })).toThrow('The power is gone')
    expect(version()).toBe(2)
    expect(valueOf('SELECT region FROM executions')).toBeNull()
    released.fails = false
    await openSqliteStore({ file }).close()
    expect(version()).toBe(3)
    expect(valueOf('SELECT count(*) FROM regions')).toBe(1)
  })

  it('is not read before its owner has migrated it', () => {
    expect(() => openSqliteStore({ file, readOnly: true })).toThrow(
      expect.objectContaining({
        message: `The database ${file} has schema version 1; this release reads version 3`,
        hint: 'Start the server once: it migrates the database',
      }),
    )
    expect(version()).toBe(1)
  })
})
