import fs from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { openDatabase } from '../../../src/store/sqlite/driver.ts'
import { databaseError } from '../../../src/store/sqlite/health/database-error.ts'
import { TempProject } from '../../support/project/temp-project.ts'

const project = new TempProject()
afterAll(() => project.remove())

const file = project.path('data.db')
const error = (make: () => void): { message: string; hint: string } => {
  fs.rmSync(file, { recursive: true, force: true })
  make()
  try {
    openSqliteStore({ file: file })
  } catch (thrown) {
    return thrown as { message: string; hint: string }
  }
  throw new Error('The file was opened')
}

it('a file that is not a database is refused with its name and what to do', () => {
  const { message, hint } = error(() => fs.writeFileSync(file, 'no database '.repeat(100)))
  expect(message).toBe(`The database ${file} cannot be used: the file is not a SQLite database`)
  expect(hint).toBe('Set "database" in the configuration to another file, or move this one away')
})

it('a database of another program is refused, and not changed', () => {
  let before: Buffer | undefined
  const { message } = error(() => {
    const other = openDatabase(file)
    other.exec('CREATE TABLE songs (title); PRAGMA user_version = 3')
    other.close()
    before = fs.readFileSync(file)
  })
  expect(message).toBe(`The database ${file} belongs to another program`)
  expect(fs.readFileSync(file)).toEqual(before)
})

it('a damaged database is refused with its name and what to do', async () => {
  await openSqliteStore({ file: `${file}-good` }).close()
  const bytes = fs.readFileSync(`${file}-good`)
  // all pages but the first
  bytes.fill(0xff, 4096)
  const { message, hint } = error(() => fs.writeFileSync(file, bytes))
  expect(message).toBe(`The database ${file} cannot be used: it is damaged`)
  expect(hint).toContain('restore a backup')
})

it('a directory in place of the file is refused with its name', () => {
  expect(error(() => fs.mkdirSync(file)).message).toBe(
    `The database ${file} cannot be used: its file cannot be opened`,
  )
})

it.each([
  ['node:sqlite', { errcode: 8 | (1 << 8) }],
  ['libsql', { rawCode: 8 }],
])('a read-only file is recognized by the error of %s', (_driver, code) => {
  const translated = databaseError(Object.assign(new Error('attempt to write a readonly database'), code))
  expect(translated?.message).toBe('The database cannot be used: it is read-only')
})
