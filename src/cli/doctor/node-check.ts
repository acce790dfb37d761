import satisfies from 'semver/functions/satisfies.js'
import type { Check } from './check.ts'
import { failure, ok } from './check.ts'

/** Checks the Node.js version against `range`, which is `engines.node` of package.json. */
export function checkNode(version: string, range: string): Check {
  if (satisfies(version, range, { includePrerelease: true })) return ok('node', `Node ${version}`)
  return failure('node', `Node ${version} is not supported`, `Install Node.js ${range}.`)
}
