import type { ReactNode } from 'react'
import { CardGrid } from '../card.tsx'
import { DataTable } from './data-table.tsx'
import type { DataTableProps } from './data-table.tsx'
import { Pending, EmptyState } from '../state/states.tsx'

export interface ListViewProps<T> extends Omit<DataTableProps<T>, 'count'> {
  /** Number of rows; undefined while loading. */
  readonly count: number | undefined
  readonly error: unknown
  readonly retry: () => unknown
  /** Noun for a row, in the singular. */
  readonly noun: string
  /** Whether a filter is set. */
  readonly filtered: boolean
  /** Shown when there are no rows and no filters. */
  readonly empty: ReactNode
  /** Shows the rows as cards instead of a table. */
  readonly card?: ((row: T) => ReactNode) | undefined
}

/** A table or cards, or their loading, error, empty or no-match state. */
export function ListView<T>(props: ListViewProps<T>) {
  const { count, error, retry, noun, filtered, empty, card, ...table } = props
  if (count === undefined) return <Pending error={error} retry={retry} />
  if (count > 0 && card) {
    const items = Array.from({ length: count }, (_, index) => table.row(index)).filter(
      (row) => row !== undefined,
    )
    return <CardGrid label={table.label} items={items} itemKey={table.rowKey} card={card} />
  }
  if (count > 0) return <DataTable count={count} {...table} />
  return filtered ? <EmptyState title={`No ${noun}s match these filters`} /> : empty
}
