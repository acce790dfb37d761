import { Bot } from 'lucide-react'
import { modelsText } from '../../../client/models-text.ts'
import type { AgentActivity } from '../../../contract/endpoints/activity.ts'
import type { AgentSummary } from '../../../contract/endpoints/agent.ts'
import { Card } from '../../ui/cards/card.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { durationBetween } from '../../ui/time/duration-between.ts'

export interface AgentSummaryCardProps {
  readonly agent: AgentSummary
  /** Undefined while it is loaded. */
  readonly activity: AgentActivity | undefined
}

/** An agent with its last runs. */
export function AgentSummaryCard({ agent, activity }: AgentSummaryCardProps) {
  const { id, name, description, status, tools, perRequest, memory, served } = agent
  const to = `agents/${encodeURIComponent(id)}`
  const model = modelsText(agent)
  return (
    <Card
      to={to}
      name={name}
      icon={Bot}
      status={<StatusBadge status={status} />}
      description={description}
      facts={
        <>
          {model === undefined ? (
            <span className="text-error">no model configured</span>
          ) : (
            <span>{model}</span>
          )}
          <span title={tools.map((tool) => tool.name).join(', ')}>
            {tools.length === 0 && perRequest.includes('tools')
              ? 'tools per request'
              : `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`}
          </span>
          {memory && <span>memory</span>}
          {!served && <span>internal</span>}
        </>
      }
      runs={activity?.runs.map(({ runId, status: outcome, startedAt, endedAt, traceId }) => ({
        id: runId,
        to: `traces/${traceId}`,
        status: outcome,
        startedAt,
        durationMs: durationBetween(startedAt, endedAt),
      }))}
      noRuns="No runs yet: open it to chat."
    />
  )
}
