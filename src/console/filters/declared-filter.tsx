import { useEndpoint } from '../api/use-endpoint.ts'
import { oneLine } from '../ui/escape-text.ts'
import { FilterSelect } from './filter-bar.tsx'
import type { FilterSelectProps } from './filter-bar.tsx'
import { statusText } from '../ui/state/status-badge.tsx'

type DeclaredFilterProps = Pick<FilterSelectProps, 'value' | 'onChange'>

/** Filter by a workflow of the configuration. */
export function WorkflowFilter(props: DeclaredFilterProps) {
  const { data = [] } = useEndpoint('listWorkflows', {})
  return <FilterSelect label="Workflow" options={idsOf(data, props.value)} text={nameIn(data)} {...props} />
}

/** Filter by an agent of the configuration. */
export function AgentFilter(props: DeclaredFilterProps) {
  const { data = [] } = useEndpoint('listAgents', {})
  return <FilterSelect label="Agent" options={idsOf(data, props.value)} text={nameIn(data)} {...props} />
}

/** The name of an item, and its id if another item has the same name. */
function nameIn(items: readonly { readonly id: string; readonly name: string }[]): (id: string) => string {
  return (id) => {
    const name = items.find((item) => item.id === id)?.name ?? id
    const isOnly = items.filter((item) => item.name === name).length < 2
    return oneLine(isOnly ? name : `${name} (${id})`, 100)
  }
}

/** The ids of the items, and the chosen one, which may no longer exist. */
function idsOf(items: readonly { readonly id: string }[], chosen: string): string[] {
  const ids = items.map(({ id }) => id)
  return chosen === '' || ids.includes(chosen) ? ids : [...ids, chosen]
}

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
