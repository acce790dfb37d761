import { FilterSelect } from './filter-bar.tsx'
import type { FilterSelectProps } from './filter-bar.tsx'

const STATUSES = ['running', 'suspended', 'completed', 'error', 'cancelled']

/** How executions stand. */
export function ExecutionStatusFilter(props: Pick<FilterSelectProps, 'value' | 'onChange'>) {
  return <FilterSelect label="Status" options={STATUSES} {...props} />
}
