import type { ReactNode } from 'react'
import { DataTable } from './data-table.tsx'
import type { DataTableProps } from './data-table.tsx'
import { Pending } from '../state/pending.tsx'
import { EmptyState } from '../state/states.tsx'

export interface ListViewProps<T> extends Omit<DataTableProps<T>, 'count'> {
  /** How many rows there are; undefined while nobody knows. */
  readonly count: number | undefined
  readonly error: unknown
  readonly retry: () => unknown
  /** What a row is called. */
  readonly noun: string
  /** Whether there would be rows without the filters. */
  readonly filtered: boolean
  /** What stands here when there is nothing at all. */
  readonly empty: ReactNode
}

/** A table of what was fetched, or what is to be said instead: it is fetched, failed, is empty, or nothing fits. */
export function ListView<T>(props: ListViewProps<T>) {
  const { count, error, retry, noun, filtered, empty, ...table } = props
  if (count === undefined) return <Pending error={error} retry={retry} />
  if (count > 0) return <DataTable count={count} {...table} />
  return filtered ? <EmptyState title={`No ${noun} fits these filters`} /> : empty
}
