import type { Client } from 'pg'
import { expect, it } from 'vitest'
import { inspectSession } from '../../../../../src/store/postgres/connection/session.ts'

const clientOf = (version: string) =>
  ({ processID: 7, query: async () => ({ rows: [{ pid: 7, path: 'shop', version }] }) }) as unknown as Client
const PLACE = { schema: 'shop', place: 'shop on db:5432' }

it.each([['12.22 (Debian 12.22-1)'], ['9.6.24']])('a server of version %s is too old', async (version) => {
  await expect(inspectSession(clientOf(version), PLACE)).rejects.toThrow(
    expect.objectContaining({
      code: 'unavailable',
      message: `The database shop on db:5432 cannot be used: it runs on Postgres ${version}; version 13 or later is required`,
      hint: 'Update the server, or use another one',
    }),
  )
})

it.each([['13.0'], ['18beta1']])('a server of version %s is not too old', async (version) => {
  expect(await inspectSession(clientOf(version), PLACE)).toEqual({ isDirect: true, keepsSettings: true })
})
