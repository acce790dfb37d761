import type { ReactNode } from 'react'
import { DataTable } from './data-table.tsx'
import type { DataTableProps } from './data-table.tsx'
import { Pending } from '../state/pending.tsx'
import { EmptyState } from '../state/states.tsx'

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
}

/** A table, or its loading, error, empty or no-match state. */
export function ListView<T>(props: ListViewProps<T>) {
  const { count, error, retry, noun, filtered, empty, ...table } = props
  if (count === undefined) return <Pending error={error} retry={retry} />
  if (count > 0) return <DataTable count={count} {...table} />
  return filtered ? <EmptyState title={`No ${noun}s match these filters`} /> : empty
}
