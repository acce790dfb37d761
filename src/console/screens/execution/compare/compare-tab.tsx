import type { ExecutionDetail } from '../../../../contract/endpoints/execution.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { useUrlState } from '../../../router/use-url-state.ts'
import { Pending } from '../../../ui/state/pending.tsx'
import { EmptyState } from '../../../ui/state/states.tsx'
import { ComparePicker } from './compare-picker.tsx'
import { Comparison } from './comparison.tsx'

const STATE = { with: '' }

/** Comparison with another execution: of a replay with the replayed one, until another is chosen. */
export function CompareTab({ record }: { readonly record: ExecutionDetail }) {
  const [{ with: chosen }, set] = useUrlState(STATE)
  const id = chosen === '' ? (record.forkedFrom?.executionId ?? '') : chosen
  return (
    <>
      <ComparePicker record={record} chosen={id} choose={(other) => set({ with: other })} />
      {id === '' ? (
        <EmptyState title="Select an execution to compare with">
          The steps of both executions are shown side by side, with their differences.
        </EmptyState>
      ) : (
        <Loaded record={record} id={id} />
      )}
    </>
  )
}

function Loaded({ record, id }: { readonly record: ExecutionDetail; readonly id: string }) {
  const { data, error, refetch } = useEndpoint('observeExecution', { params: { executionId: id } })
  if (data) return <Comparison one={record} other={data} />
  return <Pending error={error} retry={refetch} />
}
