import type { Interval } from '../../../waterfall/time-scale.ts'
import { categoryOf } from './span-category.ts'
import type { TreeSpan } from './span-tree.ts'

/** Kinds whose spans may only wait for their children. */
const AROUND: ReadonlySet<string> = new Set(['request', 'workflow', 'agent'])

/**
 * Intervals in which work was done: those of spans without children, and of kinds that work themselves. A request
 * around an execution, for example, may only wait.
 */
export function busyTimes(placed: readonly TreeSpan[], now: number): Interval[] {
  return placed
    .filter(({ span, hasChildren }) => !hasChildren || !AROUND.has(categoryOf(span)))
    .map(({ start, end }) => ({ start, end: end ?? now }))
}
