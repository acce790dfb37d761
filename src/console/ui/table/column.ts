import type { ReactNode } from 'react'

/** A column of a table. */
export interface Column<T> {
  readonly name: string
  /** A track of a CSS grid: `8rem`, `minmax(0, 1fr)`. */
  readonly width: string
  /** Shows the name to screen readers only. */
  readonly quiet?: boolean
  /** For numbers. */
  readonly align?: 'right'
  /** Leaves the column out of the list that the table is in narrow windows. */
  readonly onlyWide?: boolean
  readonly cell: (row: T) => ReactNode
}
