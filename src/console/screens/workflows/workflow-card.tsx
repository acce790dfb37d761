import { Workflow } from 'lucide-react'
import { Card } from '../../ui/cards/card.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { durationBetween } from '../../ui/time/duration-between.ts'
import { SuccessRate } from './success-rate.tsx'
import type { WorkflowRow } from './workflow-columns.tsx'

/** A workflow with its last executions. */
export function WorkflowCard({
  row: { id, name, purpose, status, stepsCount, activity },
}: {
  readonly row: WorkflowRow
}) {
  return (
    <Card
      to={`workflows/${encodeURIComponent(id)}`}
      name={name}
      icon={Workflow}
      status={<StatusBadge status={status} />}
      description={purpose}
      facts={
        <>
          {id !== name && <span className="font-mono">{id}</span>}
          <span>
            {stepsCount} {stepsCount === 1 ? 'step' : 'steps'}
          </span>
          {activity && <SuccessRate recent={activity.recent} label />}
        </>
      }
      runs={activity?.runs.map(({ executionId, status: outcome, createdAt, endedAt }) => ({
        id: executionId,
        to: `executions/${encodeURIComponent(executionId)}`,
        status: outcome,
        startedAt: createdAt,
        durationMs: durationBetween(createdAt, endedAt),
      }))}
      noRuns="No executions yet: open it to run it."
    />
  )
}
