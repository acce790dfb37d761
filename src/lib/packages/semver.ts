/** A version as Semantic Versioning 2.0 has it; build metadata is left out, since it orders nothing. */
export interface Version {
  readonly major: number
  readonly minor: number
  readonly patch: number
  /** What follows the hyphen; empty for a release. */
  readonly prerelease: readonly string[]
}

const VERSION = /^v?(\d{1,15})\.(\d{1,15})\.(\d{1,15})(?:-([\w.-]+))?(?:\+[\w.-]+)?$/

/** Reads a whole version, as `1.2.3-beta.1`; `undefined` for anything else. */
export function parseVersion(text: string): Version | undefined {
  const match = VERSION.exec(text.trim())
  if (!match) return undefined
  const [, major, minor, patch, prerelease = ''] = match
  return {
    major: Number(major),
    minor: Number(minor),
    patch: Number(patch),
    prerelease: prerelease === '' ? [] : prerelease.split('.'),
  }
}

/** Negative when `a` comes before `b`, positive when after, 0 when they rank the same. */
export function compareVersions(a: Version, b: Version): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch || comparePrereleases(a, b)
}

/** The place of the first number in which two versions differ; a prerelease counts as a patch. */
export function differenceOf(a: Version, b: Version): 'major' | 'minor' | 'patch' {
  if (a.major !== b.major) return 'major'
  return a.minor === b.minor ? 'patch' : 'minor'
}

/**
 * Whether a version lies in a range of `^1.2`, `>=1.2` and plain versions joined by `||`, which is all that our
 * own requirements are written in.
 */
export function isInRange(version: Version, range: string): boolean {
  return range.split('||').some((part) => isInPart(version, part.trim()))
}

function isInPart(version: Version, part: string): boolean {
  const match = /^(\^|>=)?(\d+)(?:\.(\d+))?(?:\.(\d+))?$/.exec(part)
  if (!match) throw new TypeError(`Not a range of this kind: ${part}`)
  const [, operator, major, minor = '0', patch = '0'] = match
  const floor = { major: Number(major), minor: Number(minor), patch: Number(patch), prerelease: [] }
  const order = compareVersions(version, floor)
  if (operator === '>=') return order >= 0
  if (operator === undefined) return order === 0
  const sameLine = floor.major > 0 ? version.major === floor.major : version.minor === floor.minor
  return order >= 0 && version.major === floor.major && sameLine
}

function comparePrereleases({ prerelease: a }: Version, { prerelease: b }: Version): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length
  for (const [index, left] of a.entries()) {
    const right = b[index]
    if (right === undefined) return 1
    if (left !== right) return compareIdentifiers(left, right)
  }
  return a.length - b.length
}

/** Numbers rank below words, numbers by value, words by their characters. */
function compareIdentifiers(a: string, b: string): number {
  const [aIsNumber, bIsNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (aIsNumber && bIsNumber) return Number(a) - Number(b)
  if (aIsNumber !== bIsNumber) return aIsNumber ? -1 : 1
  return a < b ? -1 : 1
}
