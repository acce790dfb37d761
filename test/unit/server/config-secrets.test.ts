import { expect, test } from 'vitest'
import { resolveConfig } from '../../../src/config/config.ts'
import { configSecrets } from '../../../src/server/prepare-config.ts'

const secretsOf = (database: string) => configSecrets(resolveConfig({ database }, 'agentserver.config.ts'))

test('the password of the database is a secret, decoded and as it is in the URL', () => {
  expect(secretsOf('postgres://app:q7%40Zp1x9@db/shop')).toEqual(['q7@Zp1x9', 'q7%40Zp1x9'])
  expect(secretsOf('postgres://db/shop?user=app&password=q7Zp1x9kk')).toEqual(['q7Zp1x9kk'])
})

test('a password that is an ordinary word is not redacted from ordinary text', () => {
  expect(secretsOf('postgres://postgres:postgres@localhost/postgres')).toEqual([])
})

test('a file has no password', () => {
  expect(secretsOf('file:.agentserver/data.db')).toEqual([])
})
