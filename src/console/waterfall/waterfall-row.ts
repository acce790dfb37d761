import type { ReactNode } from 'react'
import type { Interval } from './time-scale.ts'

/** A bar of a row: an attempt, a wait. */
export interface Bar extends Interval {
  /** Classes that colour it. */
  readonly tone: string
  readonly title: string
  /** A thinner one, behind the others. */
  readonly thin?: boolean
  /** A colour of its own, where the tone is not one of a few. */
  readonly colour?: string
}

/** One row of a waterfall, in the order of a tree read from its top. */
export interface WaterfallRow {
  readonly key: string
  readonly name: string
  /** What is said of it, after its name, to whoever can't see its bars and signs. */
  readonly description: string
  readonly depth: number
  readonly bars: readonly Bar[]
  /** Has rows below it. */
  readonly isExpandable: boolean
  /** Stands back behind the others, as what was not searched for. */
  readonly isFaint?: boolean
  /** Before the name: a sign of its status. */
  readonly icon?: ReactNode | undefined
  /** Behind the name. */
  readonly note?: ReactNode | undefined
  /** At the right edge: how long it took. */
  readonly aside?: ReactNode
}

/** The rows that are left when some are folded. */
export function visibleRows(
  rows: readonly WaterfallRow[],
  folded: ReadonlySet<string>,
): readonly WaterfallRow[] {
  if (folded.size === 0) return rows
  let below: number | undefined
  return rows.filter(({ key, depth }) => {
    if (below !== undefined && depth > below) return false
    below = folded.has(key) ? depth : undefined
    return true
  })
}

/** Where a bar of some percents stands; undefined when it is out of view. */
export function barStyle(left: number, right: number): { left: string; width: string } | undefined {
  if (right < -0.1 || left > 100.1) return undefined
  const from = Math.max(-1, left)
  return { left: `${from}%`, width: `${Math.min(101, right) - from}%` }
}
