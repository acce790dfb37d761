import type { ScreenProps } from '../../router/route.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Loading } from '../../ui/states.tsx'
import { useExecution } from '../../execution/use-execution.ts'
import { ExecutionView } from './execution-view.tsx'

/** One execution of a workflow, followed while it goes on. */
export function ExecutionScreen({ params }: ScreenProps) {
  const id = params['id'] ?? ''
  return <Followed key={id} id={id} />
}

function Followed({ id }: { readonly id: string }) {
  const live = useExecution(id)
  const { record, error, refetch } = live
  if (record) return <ExecutionView record={record} live={live} />
  return (
    <>
      <PageHeader
        title="Execution"
        aside={<span className="break-all font-mono text-sm text-dim">{id}</span>}
      />
      {error ? <ErrorState error={error} retry={refetch} /> : <Loading />}
    </>
  )
}
