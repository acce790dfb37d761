import { useMemo } from 'react'
import type { ExecutionDetail, StepRecord } from '../../contract/endpoints/execution.ts'
import type { StepStatistics } from '../../contract/endpoints/statistics.ts'
import { stepPattern } from '../../contract/step-path.ts'
import { useEndpoint } from '../api/use-endpoint.ts'
import { slowSteps } from './slowness.ts'

/** What is usual for the steps of an execution. */
export interface UsualTimes {
  /** The statistics of a step in the last days. */
  readonly of: (step: StepRecord) => StepStatistics | undefined
  /** How much longer than usual steps took, by their path: `12 ×`. */
  readonly slow: ReadonlyMap<string, string>
}

/** Compares the steps of an execution with those of its workflow in the last days. */
export function useUsualTimes(record: ExecutionDetail, enabled: boolean): UsualTimes {
  const { workflowId, createdAt, events, steps } = record
  const { data } = useEndpoint('getWorkflowStatistics', { params: { id: workflowId } }, { enabled })
  const of = useMemo(() => {
    const byStep = new Map(data?.steps.map((one) => [one.step, one]))
    return ({ path }: StepRecord) => byStep.get(stepPattern(path))
  }, [data])
  const slow = useMemo(() => slowSteps({ createdAt, events, steps }, of), [createdAt, events, steps, of])
  return { of, slow }
}
