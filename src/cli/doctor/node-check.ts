import satisfies from 'semver/functions/satisfies.js'
import type { Check } from './check.ts'
import { failure, ok } from './check.ts'

/** Whether this Node can run the server. `range` is what package.json asks for. */
export function checkNode(version: string, range: string): Check {
  if (satisfies(version, range, { includePrerelease: true })) return ok('node', `Node ${version}`)
  return failure('node', `Node ${version} is not supported`, `Install a Node of ${range}.`)
}
