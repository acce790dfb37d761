import { describe, expect, test } from 'vitest'
import {
  compareVersions,
  differenceOf,
  isInRange,
  parseVersion,
} from '../../../../src/lib/packages/semver.ts'
import type { Version } from '../../../../src/lib/packages/semver.ts'

const version = (text: string): Version => {
  const parsed = parseVersion(text)
  if (!parsed) throw new Error(`Not a version: ${text}`)
  return parsed
}

describe('versions', () => {
  test('rank as Semantic Versioning has it', () => {
    const ascending = [
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
      '1.0.0',
      '1.0.9',
      '1.0.10',
      '1.9.0',
      '1.10.0',
      '2.0.0',
      '10.0.0',
    ]
    const shuffled = [...ascending.slice(5), ...ascending.slice(0, 5).toReversed()]
    expect(shuffled.toSorted((a, b) => compareVersions(version(a), version(b)))).toEqual(ascending)
    expect(compareVersions(version('1.0.0+build.1'), version('v1.0.0'))).toBe(0)
  })

  test.each([
    ['1.9.9', '2.0.0', 'major'],
    ['0.1.0', '0.2.0', 'minor'],
    ['1.2.3', '1.2.4', 'patch'],
    ['1.2.3-beta.1', '1.2.3', 'patch'],
  ])('%s → %s is a %s difference', (from, to, kind) => {
    expect(differenceOf(version(from), version(to))).toBe(kind)
  })

  test.each(['', '1', '1.2', '1.2.x', 'latest', '1.2.3.4', '-1.2.3', '1.2.3 || 2.0.0'])(
    '%j is none',
    (text) => {
      expect(parseVersion(text)).toBeUndefined()
    },
  )
})

describe('ranges', () => {
  const NODE = '^20.19 || >=22.12'

  test.each(['20.19.0', '20.20.2', '22.12.0', '23.0.0', '26.1.0'])(`${NODE} takes %s`, (text) => {
    expect(isInRange(version(text), NODE)).toBe(true)
  })

  test.each(['18.20.0', '20.18.9', '21.7.0', '22.11.9'])(`${NODE} does not take %s`, (text) => {
    expect(isInRange(version(text), NODE)).toBe(false)
  })

  test('below 1.0 a caret allows patches only', () => {
    expect(isInRange(version('0.3.9'), '^0.3.1')).toBe(true)
    expect(isInRange(version('0.4.0'), '^0.3.1')).toBe(false)
  })
})
