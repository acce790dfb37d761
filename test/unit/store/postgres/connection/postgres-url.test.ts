import { describe, expect, it } from 'vitest'
import {
  defaultSchema,
  maskPassword,
  parsePostgresUrl,
  passwordOf,
} from '../../../../../src/store/postgres/connection/postgres-url.ts'

const BASE = 'postgres://ann:s3cret@db.example:5433/shop'

describe('a Postgres URL', () => {
  it('has the schema, the pool size and session options of this package, and leaves the rest to pg', () => {
    const url = `${BASE}?schema=shop_eu&pool=8&sslmode=no-verify&options=-c%20work_mem%3D64MB`
    expect(parsePostgresUrl(url)).toEqual({
      connectionString: `${BASE}?sslmode=no-verify`,
      schema: 'shop_eu',
      poolSize: 8,
      sessionOptions: '-c work_mem=64MB',
    })
    expect(parsePostgresUrl('postgresql:///shop?host=/run/postgresql')).toMatchObject({
      schema: undefined,
      poolSize: 4,
    })
  })

  it.each([
    ['postgres://ann:s3cret#1@db/shop'],
    ['postgres://ann:s3cret@db:port/shop'],
    ['postgres://ann:s3cret%@db/shop'],
    ['postgres:ann:s3cret@db'],
    ['postgres://ann:s3cret@[::1/shop'],
  ])('that does not parse is refused without its password: %s', (url) => {
    const parse = () => parsePostgresUrl(url)
    expect(parse).toThrow(
      expect.objectContaining({
        code: 'invalid_config',
        message: 'database: the Postgres URL is not valid',
        hint: expect.stringContaining('Percent-encode'),
      }),
    )
    expect(parse).not.toThrow(/s3cret/)
  })

  it.each([['Shop'], ['9lives'], ['pg_shop'], ['a;drop'], [''], ['x'.repeat(46)]])(
    'with "%s" as schema is refused',
    (schema) => {
      expect(() => parsePostgresUrl(`${BASE}?schema=${schema}`)).toThrow(
        `"${schema}" is not a valid schema name`,
      )
    },
  )

  it.each([['0'], ['many'], ['2.5'], ['101']])('with %s connections is refused', (pool) => {
    expect(() => parsePostgresUrl(`${BASE}?pool=${pool}`)).toThrow(`"${pool}" is not a valid pool size`)
  })
})

describe('the schema of a project', () => {
  it.each([
    ['shop', 'agentserver_shop'],
    ['@acme/My Shop', 'agentserver_acme_my_shop'],
    ['日本', 'agentserver'],
  ])('%s is %s', (project, schema) => {
    expect(defaultSchema(project)).toBe(schema)
  })

  it('with a long name is shortened, and is not that of another project', () => {
    const [one, other] = [defaultSchema(`${'long-'.repeat(20)}a`), defaultSchema(`${'long-'.repeat(20)}b`)]
    expect(one).toHaveLength(45)
    expect(one).not.toBe(other)
  })
})

describe('the password of a URL', () => {
  it.each([
    [BASE, 'postgres://ann:***@db.example:5433/shop'],
    ['postgres://ann:a@b/c@db/shop', 'postgres://ann:***@db/shop'],
    ['postgres://ann:s3c#ret@db/shop?x=@', 'postgres://ann:***@'],
    [
      'postgres://db/shop?user=ann&password=s3cret&sslmode=disable',
      'postgres://db/shop?user=ann&password=***&sslmode=disable',
    ],
    ['postgres://ann@db/shop', 'postgres://ann@db/shop'],
    ['file:.agentserver/data.db', 'file:.agentserver/data.db'],
  ])('is masked in %s', (url, masked) => {
    expect(maskPassword(url)).toBe(masked)
  })

  it.each([
    ['postgres://ann:s%40cret@db/shop', 's@cret'],
    ['postgres://db/shop?password=s3cret', 's3cret'],
    ['postgres://ann@db/shop', undefined],
    ['postgres://ann:p#w@db', undefined],
    ['file:data.db', undefined],
  ])('is found in %s', (url, password) => {
    expect(passwordOf(url)).toBe(password)
  })
})
