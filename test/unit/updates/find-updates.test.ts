import { expect, test } from 'vitest'
import { updateOf } from '../../../src/updates/find-updates.ts'

const update = (installed: string, latest: string) =>
  updateOf({ name: 'zod', installed, wanted: installed, latest })

test.each([
  ['1.9.9', '2.0.0', 'major'],
  ['0.1.0', '0.2.0', 'minor'],
  ['1.9.0', '1.10.0', 'minor'],
  ['1.2.3', '1.2.4', 'patch'],
  ['1.0.9', '1.0.10', 'patch'],
  ['1.2.3-beta.1', '1.2.3', 'patch'],
  ['1.0.0-beta.2', '1.0.0-beta.11', 'patch'],
])('%s → %s is a %s update', (installed, latest, type) => {
  expect(update(installed, latest)).toEqual({ name: 'zod', installed, wanted: installed, latest, type })
})

test.each([
  ['1.0.0', '1.0.0'],
  ['1.0.0+build.1', '1.0.0'],
  ['2.0.0-rc.1', '1.9.0'],
])('%s → %s is no update', (installed, latest) => {
  expect(update(installed, latest)).toBeUndefined()
})

test.each(['', '1', '1.2', '1.2.x', 'latest', '1.2.3.4', '-1.2.3', '1.2.3 || 2.0.0'])(
  'a version that can not be read is no update: %j',
  (text) => {
    expect(update(text, '9.0.0')).toBeUndefined()
    expect(update('0.0.1', text)).toBeUndefined()
  },
)
