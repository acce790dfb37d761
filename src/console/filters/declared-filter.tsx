import { useEndpoint } from '../api/use-endpoint.ts'
import { FilterSelect } from './filter-bar.tsx'
import type { FilterSelectProps } from './filter-bar.tsx'

type DeclaredFilterProps = Pick<FilterSelectProps, 'value' | 'onChange'>

/** Filter by a workflow of the configuration. */
export function WorkflowFilter(props: DeclaredFilterProps) {
  const { data = [] } = useEndpoint('listWorkflows', {})
  return <FilterSelect label="Workflow" options={idsOf(data, props.value)} {...props} />
}

/** Filter by an agent of the configuration. */
export function AgentFilter(props: DeclaredFilterProps) {
  const { data = [] } = useEndpoint('listAgents', {})
  return <FilterSelect label="Agent" options={idsOf(data, props.value)} {...props} />
}

/** The ids of the items, and the chosen one, which may no longer exist. */
function idsOf(items: readonly { readonly id: string }[], chosen: string): string[] {
  const ids = items.map(({ id }) => id)
  return chosen === '' || ids.includes(chosen) ? ids : [...ids, chosen]
}
