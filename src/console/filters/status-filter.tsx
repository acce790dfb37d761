import { statusText } from '../ui/state/status-badge.tsx'
import { FilterSelect } from './filter-bar.tsx'
import type { FilterSelectProps } from './filter-bar.tsx'

const EXECUTION_STATUSES = ['running', 'suspended', 'completed', 'error', 'cancelled']

type StatusFilterProps = Pick<FilterSelectProps, 'value' | 'options' | 'onChange'>

/** Filter by status: the values of the API under the words of the console. */
export function StatusFilter(props: StatusFilterProps) {
  return <FilterSelect label="Status" text={statusText} {...props} />
}

/** Filter by the status of executions. */
export function ExecutionStatusFilter(props: Omit<StatusFilterProps, 'options'>) {
  return <StatusFilter options={EXECUTION_STATUSES} {...props} />
}
