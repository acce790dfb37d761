import { useMemo, useRef } from 'react'
import type { ExecutionDetail } from '../../../contract/endpoints/execution.ts'
import type { StepDescription } from '../../../contract/endpoints/workflow.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { executionSteps, flattenSteps } from '../../graph/step-tree.ts'
import type { CallRanks, ExecutionSteps, FlatStep } from '../../graph/step-tree.ts'

export interface StepsOfExecution extends ExecutionSteps {
  readonly placed: readonly FlatStep[]
  readonly isPending: boolean
}

interface KnownSteps extends ExecutionSteps {
  readonly declared: readonly StepDescription[]
}

const NONE: readonly StepDescription[] = []

/**
 * The declared steps of the execution's workflow with the calls that it has recorded; only those of its record when the
 * workflow is not served here. They stay the same while no call is added, so that the graph keeps its layout.
 */
export function useExecutionSteps(record: ExecutionDetail, isServed: boolean): StepsOfExecution {
  const { data, isPending } = useEndpoint(
    'getWorkflow',
    { params: { id: record.workflowId } },
    { enabled: isServed },
  )
  const isLoading = isServed && isPending
  const declared = data?.steps ?? NONE
  const previous = useRef<KnownSteps>(undefined)
  const known = useMemo(() => {
    const next = { declared, ...executionSteps(declared, record) }
    const old = previous.current
    const kept = old?.declared === declared && sameRanks(old.ranks, next.ranks) ? old : next
    previous.current = kept
    return kept
  }, [declared, record])
  const placed = useMemo(() => flattenSteps(known.steps), [known])
  return { steps: known.steps, ranks: known.ranks, placed, isPending: isLoading }
}

function sameRanks(one: CallRanks, other: CallRanks): boolean {
  return one.size === other.size && [...one].every(([path, rank]) => other.get(path) === rank)
}
