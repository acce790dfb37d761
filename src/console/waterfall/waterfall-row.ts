import type { ReactNode } from 'react'
import type { Interval } from './time-scale.ts'

/** A bar of a row: an attempt or a wait. */
export interface Bar extends Interval {
  /** CSS classes of the colour. */
  readonly tone: string
  readonly title: string
  /** Drawn thin, behind the other bars. */
  readonly thin?: boolean
}

/** One row of a waterfall, in depth-first order. */
export interface WaterfallRow {
  readonly key: string
  readonly name: string
  /** Description for screen readers, after the name. */
  readonly description: string
  readonly depth: number
  readonly bars: readonly Bar[]
  /** Has child rows. */
  readonly isExpandable: boolean
  /** Dimmed, as context of a search result. */
  readonly isFaint?: boolean
  /** Status icon before the name. */
  readonly icon?: ReactNode | undefined
  /** Shown after the name. */
  readonly note?: ReactNode | undefined
  /** Shown at the right edge: the duration. */
  readonly aside?: ReactNode
}

/** The rows without the descendants of collapsed ones. */
export function visibleRows(
  rows: readonly WaterfallRow[],
  collapsed: ReadonlySet<string>,
): readonly WaterfallRow[] {
  if (collapsed.size === 0) return rows
  let below: number | undefined
  return rows.filter(({ key, depth }) => {
    if (below !== undefined && depth > below) return false
    below = collapsed.has(key) ? depth : undefined
    return true
  })
}

/** Position of a bar in percent; undefined when it is out of view. */
export function barStyle(left: number, right: number): { left: string; width: string } | undefined {
  if (right < -0.1 || left > 100.1) return undefined
  const from = Math.max(-1, left)
  return { left: `${from}%`, width: `${Math.min(101, right) - from}%` }
}
