import { Wrench } from 'lucide-react'
import type { ToolActivity } from '../../../contract/endpoints/activity.ts'
import type { ToolSummary } from '../../../contract/endpoints/tool.ts'
import { Card } from '../../ui/cards/card.tsx'
import { SOURCES } from './tool-columns.tsx'

export interface ToolCardProps {
  readonly tool: ToolSummary
  /** Undefined while it is loaded. */
  readonly activity: ToolActivity | undefined
}

/** A tool with its last calls. */
export function ToolCard({ tool, activity }: ToolCardProps) {
  const { name, description, source, agents, serverId } = tool
  return (
    <Card
      to={`tools/${encodeURIComponent(name)}`}
      name={name}
      icon={Wrench}
      description={description}
      facts={
        <>
          <span>{serverId === undefined ? SOURCES[source] : `MCP server ${serverId}`}</span>
          {agents.length > 0 && <span>used by {agents.join(', ')}</span>}
        </>
      }
      runs={activity?.runs.map(({ spanId, traceId, status, startedAt, durationMs }) => ({
        id: spanId,
        to: `traces/${traceId}?span=${spanId}`,
        status,
        startedAt,
        durationMs,
      }))}
      noRuns="No calls since the server was started: open it to run it."
    />
  )
}
