import type { WorkflowActivity } from '../../../contract/endpoints/activity.ts'

export interface SuccessRateProps extends Pick<WorkflowActivity, 'recent'> {
  /** Says what it is. */
  readonly label?: boolean
}

/** The share of completed executions among the newest completed and failed ones. */
export function SuccessRate({ recent: { completed, error }, label = false }: SuccessRateProps) {
  const ended = completed + error
  if (ended === 0) return null
  return (
    <span title={`${completed} of the last ${ended} executions completed`}>
      {Math.floor((completed / ended) * 100)} %{label && ' completed'}
    </span>
  )
}
