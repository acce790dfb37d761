import { expect, it } from 'vitest'
import { tokenExpiry } from '../../../src/auth/token-expiry.ts'

const token = (claims: unknown) =>
  `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature`

it('a token ends at its exp', () => {
  expect(tokenExpiry(token({ exp: 1000, iat: 900 }))).toBe(1_000_000)
})

it('a token ends earlier when its maximum age is over, and later by the clock tolerance', () => {
  expect(tokenExpiry(token({ exp: 1000, iat: 900 }), { maxTokenAge: 60 })).toBe(960_000)
  expect(tokenExpiry(token({ iat: 900 }), { maxTokenAge: 60 })).toBe(960_000)
  expect(tokenExpiry(token({ exp: 1000 }), { clockTolerance: 5 })).toBe(1_005_000)
})

it.each([token({}), token({ exp: '1000' }), token([1]), token(null), 'opaque', 'a.b', 'a.b.c', ''])(
  'a token without an expiry does not end: %s',
  (text) => {
    expect(tokenExpiry(text)).toBeUndefined()
  },
)
