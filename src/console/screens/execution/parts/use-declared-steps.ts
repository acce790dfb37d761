import { useMemo } from 'react'
import type { ExecutionDetail } from '../../../../contract/endpoints/execution.ts'
import type { StepDescription } from '../../../../contract/endpoints/workflow.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { flattenSteps, stepsFromRecords } from '../../../graph/step-tree.ts'
import type { FlatStep } from '../../../graph/step-tree.ts'

export interface DeclaredSteps {
  readonly steps: readonly StepDescription[]
  readonly placed: readonly FlatStep[]
  readonly isPending: boolean
}

/** The declared steps of the execution's workflow; those of its record when the workflow is not served here. */
export function useDeclaredSteps(
  { workflowId, steps: recorded }: ExecutionDetail,
  isServed: boolean,
): DeclaredSteps {
  const { data, isPending } = useEndpoint(
    'getWorkflow',
    { params: { id: workflowId } },
    { enabled: isServed },
  )
  const isLoading = isServed && isPending
  const declared = data?.steps
  const steps = useMemo(
    () => declared ?? (isLoading ? [] : stepsFromRecords(recorded)),
    [declared, isLoading, recorded],
  )
  const placed = useMemo(() => flattenSteps(steps), [steps])
  return { steps, placed, isPending: isLoading }
}
