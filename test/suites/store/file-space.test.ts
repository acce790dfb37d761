import fs from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '../../../src/store/sqlite/driver.ts'
import { migrate, SCHEMA_VERSION } from '../../../src/store/sqlite/migrations/migrate.ts'
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { TempProject } from '../../support/project/temp-project.ts'
import { executionRow } from './execution-rows.ts'

const MB = 1_000_000
const project = new TempProject()
afterAll(() => project.remove())
let files = 0

function newFile(): string {
  const file = project.path(`space/${++files}/data.db`)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  return file
}

function openLogged(file: string) {
  const lines: string[] = []
  const log = (line: unknown) => void lines.push(String(line))
  const store = openSqliteStore({ file, logger: { info: log, warn: log, debug: log } })
  let closing: Promise<void> | undefined
  const close = () => (closing ??= store.close())
  onTestFinished(close)
  return { store, lines, close }
}

const ended = (index: number, input: string) => {
  const row = executionRow({
    id: `e${index}`,
    status: 'completed',
    endedAt: index,
    input: JSON.stringify(input),
  })
  return { id: row.id, insert: row }
}

/** A database of 60 MB in 60 executions, as releases without `auto_vacuum` made them. */
function oldDatabase(): string {
  const file = newFile()
  const database = openDatabase(file)
  database.exec('PRAGMA journal_mode = WAL')
  migrate(database)
  database.exec(
    'CREATE TABLE filler (text); INSERT INTO filler VALUES (zeroblob(60000000)); DROP TABLE filler',
  )
  database.close()
  return file
}

describe('a database file', () => {
  it('gets smaller when executions are deleted, a megabyte at a time', async () => {
    const file = newFile()
    const { store, close } = openLogged(file)
    await store.executions.write(Array.from({ length: 60 }, (_, index) => ended(index, 'x'.repeat(MB))))
    expect(await store.giveSpaceBack()).toBe(0)
    while ((await store.executions.prune({ endedBefore: 1000, keep: 0 }, 10)) > 0);
    const turns: number[] = []
    while (turns.at(-1) !== 0) turns.push(await store.giveSpaceBack())
    expect(turns.length).toBeGreaterThan(30)
    expect(Math.max(...turns)).toBeLessThanOrEqual(1024 * 1024)
    await close()
    // what the next executions will need stays
    expect(fs.statSync(file).size).toBeLessThan(18 * MB)
    expect(fs.statSync(file).size).toBeGreaterThan(16 * MB)
  })

  it('of an earlier release, which keeps its space, is rewritten once, with a line before and after', async () => {
    const file = oldDatabase()
    expect(fs.statSync(file).size).toBeGreaterThan(60 * MB)
    const { lines, close } = openLogged(file)
    expect(lines).toEqual([
      expect.stringMatching(
        /^Rewriting the database .*data\.db once, so that it gives .*: 6\d MB, of which 6\d MB are free$/,
      ),
      expect.stringMatching(/^Rewrote the database in \d+\.\d s: it has \d+ KB now$/),
    ])
    await close()
    expect(fs.statSync(file).size).toBeLessThan(2 * MB)
    expect(openLogged(file).lines).toEqual([])
  })

  it('that can not be rewritten now, as another program writes it, is used as it is', async () => {
    const file = oldDatabase()
    const other = openDatabase(file)
    other.exec('BEGIN IMMEDIATE')
    const attempt = () => openLogged(file)
    // the start itself needs to write
    expect(attempt).toThrow('another program keeps it locked')
    other.exec('ROLLBACK')
    other.close()
    expect(attempt().lines).toHaveLength(2)
  })

  it('of an earlier schema is migrated with a line before and after', async () => {
    const file = newFile()
    const old = openDatabase(file)
    migrate(old, 12)
    old.close()
    const { lines } = openLogged(file)
    expect(lines.slice(0, 2)).toEqual([
      expect.stringMatching(
        `^Migrating the database .*data\\.db \\(\\d+ KB\\) from schema version 12 to ${SCHEMA_VERSION}, ${SCHEMA_VERSION - 12} steps$`,
      ),
      expect.stringMatching(
        `^Migrated the database in \\d+\\.\\d s: it has schema version ${SCHEMA_VERSION} now$`,
      ),
    ])
  })

  it('has nothing left of a deleted execution after it is closed', async () => {
    const file = newFile()
    const { store, close } = openLogged(file)
    const secrets = ['Zyxomma in a page', `Qwghlm ${'x'.repeat(20_000)} Zyxomma on its overflow pages`]
    await store.executions.write(secrets.map((secret, index) => ended(index, secret)))
    const has = () => fs.readFileSync(file).includes('Zyxomma')
    await close()
    expect(has()).toBe(true)
    const again = openLogged(file)
    while ((await again.store.executions.prune({ endedBefore: 1000, keep: 0 }, 10)) > 0);
    await again.close()
    expect(has()).toBe(false)
  })
})
