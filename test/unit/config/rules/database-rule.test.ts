import { describe, expect, test } from 'vitest'
import { resolveConfig } from '../../../../src/config/config.ts'
import { ignoredDatabaseUrl } from '../../../../src/config/rules/database-rule.ts'

const POSTGRES = 'postgres://app:pass4word@db.example:5432/shop'

function databaseOf(database: string | undefined, DATABASE_URL?: string): string {
  const source = `export default defineConfig({ database: '…' })`
  return resolveConfig({ database }, 'agentserver.config.ts', { source, env: { DATABASE_URL } }).database
}

function problemOf(database: string, DATABASE_URL: string): string {
  let thrown: unknown
  try {
    databaseOf(database, DATABASE_URL)
  } catch (error) {
    thrown = error
  }
  expect(thrown).toMatchObject({ code: 'invalid_config', line: 1, column: 31 })
  return (thrown as Error).message.replace('Invalid configuration: ', '')
}

describe('the database of a configuration', () => {
  test('is a file without the option and without DATABASE_URL', () => {
    expect(databaseOf(undefined)).toBe('file:.agentserver/data.db')
    expect(databaseOf(undefined, '  ')).toBe('file:.agentserver/data.db')
  })

  test.each([POSTGRES, 'postgresql://db/shop', `  ${POSTGRES}\n`])('is DATABASE_URL, such as %j', (url) => {
    expect(databaseOf(undefined, url)).toBe(url.trim())
  })

  test.each(['mysql://app:pass4word@db/shop', 'file:./prisma/dev.db', 'sqlite://dev.db', 'pass4word'])(
    'is not DATABASE_URL when that is %s',
    (url) => {
      expect(databaseOf(undefined, url)).toBe('file:.agentserver/data.db')
      expect(databaseOf('file:own.db', url)).toBe('file:own.db')
    },
  )

  test('can be named by both when they are the same', () => {
    expect(databaseOf(POSTGRES, POSTGRES)).toBe(POSTGRES)
    const same = 'postgresql://app:pass4word@db.example/shop?pool=2&schema=shop'
    expect(databaseOf(same, 'postgres://app:pass4word@db.example:5432/shop?schema=shop&pool=2')).toBe(same)
  })

  test('can have a schema that DATABASE_URL leaves open', () => {
    expect(databaseOf(`${POSTGRES}?schema=shop`, POSTGRES)).toBe(`${POSTGRES}?schema=shop`)
  })

  test('is refused when the option names SQLite and DATABASE_URL Postgres', () => {
    expect(problemOf('file:own.db', POSTGRES)).toBe(
      'database: "file:own.db" and DATABASE_URL "postgres://app:***@db.example:5432/shop" name two databases. Remove the option to use Postgres, or DATABASE_URL to use SQLite',
    )
    expect(problemOf(':memory:', POSTGRES)).toContain('":memory:"')
  })

  test.each([
    'postgres://app:pass4word@other.example/shop',
    'postgres://app:pass4word@db.example:6543/shop',
    'postgres://app:pass4word@db.example/other',
    'postgres://admin:pass4word@db.example/shop',
    `${POSTGRES}?schema=other`,
  ])('is refused when DATABASE_URL is another one: %s', (url) => {
    const problem = problemOf(`${POSTGRES}?schema=shop`, url)
    expect(problem).toContain('"postgres://app:***@db.example:5432/shop?schema=shop"')
    expect(problem).toContain(`"${url.replace('pass4word', '***')}"`)
    expect(problem).not.toContain('pass4word')
  })

  test('is refused when only the passwords differ, which are not shown', () => {
    const problem = problemOf(POSTGRES, POSTGRES.replace('pass4word', 'other5word'))
    expect(problem).toMatch(/name two databases, as their passwords differ\. Remove one of them$/)
    expect(problem).not.toMatch(/pass4word|other5word/)
  })
})

describe('the option database', () => {
  const problem = (database: string) => {
    try {
      resolveConfig({ database }, 'agentserver.config.ts')
    } catch (error) {
      return (error as Error).message.replace('Invalid configuration: ', '')
    }
    return undefined
  }

  test.each([
    ['.agentserver/data.db', 'is not a URL. Use "file:.agentserver/data.db" for a file'],
    ['data.db', 'is not a URL. Use "file:data.db" for a file'],
    ['file:', 'names no file. Use "file:<path>", relative to the project or absolute'],
    ['file://data.db', 'names no file. Use "file:<path>", relative to the project or absolute'],
  ])('is refused at load when it is %s', (database, text) => {
    expect(problem(database)).toBe(`database: "${database}" ${text}`)
  })

  test('is refused without its secrets when it is a URL of another database, or a faulty one of Postgres', () => {
    expect(problem('mysql://app:pass4word@db/shop')).toMatch(
      /^database: "mysql:\/\/…" is not supported\. Use /,
    )
    expect(problem('postgres://app:pass4word@db:port/shop')).toMatch(
      /^database: the Postgres URL is not valid\. Use /,
    )
    expect(problem(`${POSTGRES}?schema=Shop`)).toContain('"Shop" is not a valid schema name')
  })

  test.each(['file:data.db', 'file:/var/data.db', 'file:///var/data.db', ':memory:', POSTGRES])(
    'may be %s',
    (database) => {
      expect(problem(database)).toBeUndefined()
    },
  )
})

describe('DATABASE_URL', () => {
  test('is reported without secrets when it is not for Postgres', () => {
    const reason = (DATABASE_URL?: string) => ignoredDatabaseUrl({ DATABASE_URL })
    expect(reason('mysql2://app:pass4word@db/shop')).toBe(
      'DATABASE_URL is ignored: "mysql2:" is not "postgres:"',
    )
    expect(reason('pass4word')).toBe('DATABASE_URL is ignored: it is not a URL')
    expect(reason(POSTGRES)).toBeUndefined()
    expect(reason()).toBeUndefined()
  })
})

describe('observability.store', () => {
  const storeOf = (store: string, database?: string, DATABASE_URL?: string) =>
    resolveConfig({ database, observability: { store } }, 'agentserver.config.ts', { env: { DATABASE_URL } })
      .observability.store

  test('is a file of each machine beside a Postgres database', () => {
    expect(storeOf('file:telemetry.db', POSTGRES)).toBe('file:telemetry.db')
    expect(storeOf('file:telemetry.db', undefined, POSTGRES)).toBe('file:telemetry.db')
  })

  test('is refused with another database, and for what is not a file', () => {
    expect(() => storeOf('file:telemetry.db')).toThrow(
      'observability.store: only with a Postgres database. Logs and traces are in "file:.agentserver/data.db"',
    )
    for (const store of [':memory:', 'telemetry.db', 'file:', POSTGRES])
      expect(() => storeOf(store, POSTGRES)).toThrow('observability.store: Must be "file:<path>"')
  })
})
