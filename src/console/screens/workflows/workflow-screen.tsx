import { useEndpoint } from '../../api/use-endpoint.ts'
import { useServices } from '../../app/services-context.tsx'
import { WorkflowGraph } from '../../graph/workflow-graph.tsx'
import type { ScreenProps } from '../../router/route.ts'
import { useUrlState } from '../../router/use-url-state.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Loading } from '../../ui/states.tsx'

const PLACE = { step: '' }

/** One workflow. */
export function WorkflowScreen({ params: { id = '' } }: ScreenProps) {
  const { router } = useServices()
  const [{ step }, set] = useUrlState(PLACE)
  const { data: workflow, error, refetch } = useEndpoint('getWorkflow', { params: { id } })
  void router
  return (
    <>
      <PageHeader title={workflow?.name ?? id} />
      {error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : !workflow ? (
        <Loading />
      ) : (
        <WorkflowGraph
          label={`Steps of ${workflow.name}`}
          steps={workflow.steps}
          chosen={step === '' ? undefined : step}
          onChoose={(path) => set({ step: path })}
        />
      )}
    </>
  )
}
