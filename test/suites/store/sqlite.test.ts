import { Queue } from '../../../src/store/sqlite/queue/queue.ts'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../../../src/lib/clock.ts'
import { openStore } from '../../../src/store/open.ts'
import { JobTable } from '../../../src/store/sqlite/dispatch/job-table.ts'
import { openDatabase, preferredDriver } from '../../../src/store/sqlite/driver.ts'
import type { Database } from '../../../src/store/sqlite/driver.ts'
import { ExecutionWriter } from '../../../src/store/sqlite/executions/execution-writer.ts'
import { migrate, SCHEMA_VERSION } from '../../../src/store/sqlite/migrations/migrate.ts'
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { TempProject } from '../../support/project/temp-project.ts'
import { TypescriptProcess } from '../../support/process/typescript-process.ts'
import { executionRow, insertion } from './execution-rows.ts'
import { storeSuite } from './store-suite.ts'

const project = new TempProject()
afterAll(() => project.remove())
let files = 0
const newFile = () => project.path(`data/${++files}/data.db`)

storeSuite('SQLite in a file', async () => openSqliteStore({ file: newFile() }))
storeSuite('SQLite in memory', async () => openSqliteStore({ file: ':memory:' }))
describe.skipIf(preferredDriver() === 'libsql' || !loadable('libsql'))('the other driver', () => {
  storeSuite('SQLite by libsql', async () => openSqliteStore({ file: newFile(), driver: 'libsql' }))
})

function loadable(name: string): boolean {
  try {
    createRequire(import.meta.url)(name)
    return true
  } catch {
    return false
  }
}

describe('a database file', () => {
  const opened: Store[] = []
  const open = (file: string, options: { readOnly?: boolean } = {}) => {
    const store = openSqliteStore({ file: file, ...options })
    opened.push(store)
    return store
  }
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close()
  })
  const reopen = async (file: string) => {
    await opened.pop()?.close()
    return open(file)
  }

  it('is created with its directory, at a path relative to the project', async () => {
    const store = await openStore({ url: 'file:deep/er/data.db', root: project.root })
    await store.executions.write([insertion({ id: 'a' })])
    await store.close()
    expect(fs.existsSync(project.path('deep/er/data.db'))).toBe(true)
  })

  it('keeps its contents, and raises the owner epoch with each owner', async () => {
    const file = newFile()
    const first = open(file)
    await first.executions.write([insertion({ id: 'a', ownerEpoch: first.ownerEpoch })])
    const second = await reopen(file)
    expect(second.ownerEpoch).toBe(first.ownerEpoch + 1)
    expect((await second.executions.get('a'))?.ownerEpoch).toBe(first.ownerEpoch)
    expect((await reopen(file)).ownerEpoch).toBe(first.ownerEpoch + 2)
  })

  it('does not apply writes of an owner with an earlier epoch', async () => {
    const file = newFile()
    const before = open(file).ownerEpoch
    await opened[0]?.executions.write([insertion({ id: 'a', ownerEpoch: before })])
    const { ownerEpoch, executions } = await reopen(file)
    await executions.write([
      { id: 'a', update: { from: 'running', ownerEpoch: before, set: { ownerEpoch, updatedAt: 2 } } },
    ])
    const late = { from: 'running', ownerEpoch: before, set: { status: 'completed', updatedAt: 3 } } as const
    expect(await executions.write([{ id: 'a', update: late }])).toEqual([false])
    expect((await executions.get('a'))?.status).toBe('running')
  })

  it('has one owner: a second one is refused with the process id of the first', async () => {
    const file = newFile()
    open(file)
    expect(() => open(file)).toThrow(
      expect.objectContaining({
        code: 'database_locked',
        message: expect.stringContaining(`in use by process ${process.pid}`),
        hint: expect.stringContaining(`pid ${process.pid}`),
      }),
    )
  })

  it.runIf(loadable('libsql')).each([
    ['normal', 0],
    ['full', 1],
  ] as const)(
    'on macOS empties the cache of the disk at checkpoints; at commits of durability "%s": %i',
    (durability, flushed) => {
      const { prototype } = createRequire(import.meta.url)('libsql') as { prototype: Database }
      const exec = vi.spyOn(prototype, 'exec')
      onTestFinished(() => exec.mockRestore())
      opened.push(openSqliteStore({ file: newFile(), driver: 'libsql', durability }))
      const [, database] = new Set(exec.mock.contexts as Database[])
      expect(database?.prepare('PRAGMA fullfsync').get()).toMatchObject({ fullfsync: flushed })
      expect(database?.prepare('PRAGMA checkpoint_fullfsync').get()).toMatchObject({
        checkpoint_fullfsync: 1,
      })
    },
  )

  it('can be owned again after it was closed', async () => {
    const file = newFile()
    await open(file).close()
    opened.pop()
    expect(() => open(file)).not.toThrow()
  })

  it('names the process that owns it, and is free when that process is killed', async () => {
    const file = newFile()
    const owner = new TypescriptProcess('own-database.ts', file)
    try {
      await owner.printed('owner 1')
      expect(() => open(file)).toThrow(`in use by process ${owner.pid}`)
    } finally {
      await owner.kill()
    }
    expect(open(file).ownerEpoch).toBe(2)
  })

  it('can be read while another process owns it, up to the last commit', async () => {
    const file = newFile()
    const owner = open(file)
    await owner.executions.write([insertion({ id: 'a' })])
    const reader = open(file, { readOnly: true })
    expect(reader.ownerEpoch).toBe(owner.ownerEpoch)
    expect(await reader.executions.get('a')).toBeDefined()
    await owner.executions.write([insertion({ id: 'b' })])
    expect(await reader.executions.count({})).toBe(2)
    await expect(async () => reader.executions.write([insertion({ id: 'c' })])).rejects.toThrow(
      'it is read-only',
    )
    expect(await owner.executions.count({})).toBe(2)
  })

  it('can be read without an owner, and is then still free', async () => {
    const file = newFile()
    await open(file).executions.write([insertion({ id: 'a' })])
    await opened.pop()?.close()
    const reader = open(file, { readOnly: true })
    expect(await reader.executions.count({})).toBe(1)
    await reader.dispatcher.stop()
    // a reader has no end to record, which the database would refuse
    expect(reader.health.problem).toBeUndefined()
    expect(await open(file).executions.count({})).toBe(1)
  })

  it('reads as empty when it does not exist, and is not created by reading', async () => {
    const file = newFile()
    const reader = open(file, { readOnly: true })
    expect(await reader.executions.count({})).toBe(0)
    expect(fs.existsSync(file)).toBe(false)
    expect(fs.existsSync(path.dirname(file))).toBe(false)
  })

  it('releases its lock when it cannot be opened', () => {
    const file = newFile()
    fs.mkdirSync(file, { recursive: true })
    expect(() => open(file)).toThrow(/open/)
    fs.rmdirSync(file)
    expect(() => open(file)).not.toThrow()
  })

  it.each([['mysql://ann:secret@host/db'], ['data.db'], ['']])('rejects the URL "%s"', async (url) => {
    const opening = openStore({ url, root: project.root })
    await expect(opening).rejects.toThrow(expect.objectContaining({ code: 'invalid_config' }))
    await expect(opening).rejects.not.toThrow(/secret/)
  })
})

const versionOf = (database: Database) =>
  (database.prepare('PRAGMA user_version').get() as { user_version: number }).user_version

describe('the schema', () => {
  const databases: Database[] = []
  const openRaw = (file: string) => {
    const database = openDatabase(file)
    databases.push(database)
    return database
  }
  afterEach(() => {
    for (const database of databases.splice(0)) database.close()
  })
  it.each([[false], [true]])(
    'of a newer release is refused and not changed (read-only: %s)',
    async (readOnly) => {
      const file = newFile()
      await openSqliteStore({ file }).close()
      const database = openRaw(file)
      database.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`)
      const attempt = () => openSqliteStore({ file: file, readOnly })
      expect(attempt).toThrow(
        `schema version ${SCHEMA_VERSION + 1}; this release supports versions up to ${SCHEMA_VERSION}`,
      )
      // the lock was released, too
      expect(attempt).toThrow('schema version')
      expect(versionOf(database)).toBe(SCHEMA_VERSION + 1)
    },
  )

  it.each([
    ['', false],
    ['', true],
    ['; PRAGMA user_version = 44', false],
    ['; PRAGMA user_version = 44', true],
  ])(
    'of a build from before the first release is refused with what to do, and not changed (%s, read-only: %s)',
    (version, readOnly) => {
      const file = newFile()
      fs.mkdirSync(path.dirname(file), { recursive: true })
      const database = openDatabase(file)
      migrate(database)
      database.exec(`PRAGMA application_id = 0${version}`)
      database.close()
      const before = fs.readFileSync(file)
      expect(() => openSqliteStore({ file, readOnly })).toThrow(
        expect.objectContaining({
          code: 'unavailable',
          message: `The database ${file} was not made by a released version of agentserver`,
          hint: 'Start with a new database file: nothing of an unreleased version is carried over',
        }),
      )
      expect(fs.readFileSync(file)).toEqual(before)
    },
  )

  it('of a file that is not a database is an error', () => {
    const file = newFile()
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, 'This is text, and rather a lot of it. '.repeat(100))
    const attempt = () => openSqliteStore({ file: file })
    expect(attempt).toThrow('not a SQLite database')
    expect(fs.readFileSync(file, 'utf8')).toContain('This is text')
  })
})

describe('a full disk', () => {
  it('fails only the write that fills it', () => {
    const database = openDatabase(':memory:')
    migrate(database)
    const writer = new ExecutionWriter(database, new JobTable(database, systemClock), new Queue(database))
    const count = () => (database.prepare('SELECT count(*) AS n FROM executions').get() as { n: number }).n
    writer.write([insertion({ id: 'before' })])
    const { page_count: pages } = database.prepare('PRAGMA page_count').get() as { page_count: number }
    database.exec(`PRAGMA max_page_count = ${pages + 4}`)
    const big = executionRow({ id: 'big', input: JSON.stringify('x'.repeat(200_000)) })
    const batch = [insertion({ id: 'small' }), { id: 'big', insert: big }]
    expect(() => writer.write(batch)).toThrow(/full/)
    expect(() => writer.write(batch)).toThrow(/full/)
    expect(count()).toBe(1)
    expect(writer.write([insertion({ id: 'small' })])).toEqual([true])
    database.exec(`PRAGMA max_page_count = ${pages + 4000}`)
    expect(writer.write([{ id: 'big', insert: big }])).toEqual([true])
    expect(count()).toBe(3)
    database.close()
  })
})
