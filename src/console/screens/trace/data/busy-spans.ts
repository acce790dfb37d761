import type { Interval } from '../../../waterfall/time-scale.ts'
import { sortOf } from './span-kind.ts'
import type { PlacedSpan } from './span-tree.ts'

/** What only waits for what is below it. */
const AROUND: ReadonlySet<string> = new Set(['request', 'workflow', 'agent'])

/**
 * When something was done: spans without others below them, and those that do something besides. What is around
 * others, as a request around an execution, may only wait.
 */
export function busyTimes(placed: readonly PlacedSpan[], now: number): Interval[] {
  return placed
    .filter(({ span, hasChildren }) => !hasChildren || !AROUND.has(sortOf(span)))
    .map(({ start, end }) => ({ start, end: end ?? now }))
}
