import { isInRange, parseVersion } from '../../lib/packages/semver.ts'
import type { Check } from './check.ts'
import { failure, ok } from './check.ts'

/** Whether this Node can run the server. `range` is what package.json asks for. */
export function checkNode(version: string, range: string): Check {
  const parsed = parseVersion(version)
  if (parsed && isInRange(parsed, range)) return ok('node', `Node ${version}`)
  return failure('node', `Node ${version} is not supported`, `Install a Node of ${range}.`)
}
