import { expect, test } from 'vitest'
import { isProduction } from '../../../src/server/is-production.ts'

test.each([
  ['production', true],
  [' Production ', true],
  ['development', false],
  ['', false],
  [undefined, false],
])('NODE_ENV %j is production: %s', (mode, expected) => {
  expect(isProduction({ NODE_ENV: mode })).toBe(expected)
})
