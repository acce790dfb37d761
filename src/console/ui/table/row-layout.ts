import type { CSSProperties, ReactNode } from 'react'

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
  /** Leaves the column out of the table where the columns do not fit beside each other. */
  readonly onlyRoomy?: boolean
  readonly cell: (row: T) => ReactNode
}

/** How the rows of a table are arranged. */
export interface RowLayout<T> {
  readonly isList: boolean
  /** Pixels. */
  readonly height: number
  readonly headerHeight: number
  readonly columns: readonly PlacedColumn<T>[]
  readonly style: CSSProperties
}

export interface PlacedColumn<T> extends Column<T> {
  /** In a list: part of the first line, a line of its own, or half a line. */
  readonly place: 'head' | 'line' | 'half'
}

const ROW_HEIGHT = 28
const LINE_HEIGHT = 20
/** Padding, the first line and the border of a row of a list. */
const HEAD_HEIGHT = 12 + 24 + 1

/**
 * As a table, each column has a track. As a list, the first line has the columns up to the first flexible one, which
 * names the row, and the buttons, whose name is for screen readers only. The others follow with their names: a column of
 * two parts or more has its own line.
 */
export function rowLayout<T>(columns: readonly Column<T>[], isList: boolean, isRoomy = true): RowLayout<T> {
  if (!isList) {
    const shown = columns.filter(({ onlyRoomy }) => isRoomy || !onlyRoomy)
    const style = { gridTemplateColumns: shown.map(({ width }) => width).join(' ') }
    const placed = shown.map((column) => ({ ...column, place: 'head' as const }))
    return { isList, height: ROW_HEIGHT, headerHeight: ROW_HEIGHT, columns: placed, style }
  }
  const naming = columns.findIndex(({ width }) => parts(width) > 0)
  const placed = columns.flatMap((column, index): PlacedColumn<T>[] => {
    if (column.onlyWide) return []
    const rest = parts(column.width) >= 2 ? 'line' : 'half'
    return [{ ...column, place: index <= naming || column.quiet ? 'head' : rest }]
  })
  const order = { head: 0, line: 1, half: 2 }
  const sorted = placed.toSorted((one, other) => order[one.place] - order[other.place])
  const count = (place: PlacedColumn<T>['place']) => placed.filter((column) => column.place === place).length
  const lines = count('line') + Math.ceil(count('half') / 2)
  return { isList, height: HEAD_HEIGHT + lines * LINE_HEIGHT, headerHeight: 0, columns: sorted, style: {} }
}

/** The number of `fr` of a track. */
export function parts(width: string): number {
  return Number(/([\d.]+)fr/.exec(width)?.[1] ?? 0)
}
