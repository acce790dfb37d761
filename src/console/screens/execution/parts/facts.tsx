import { metadataText } from '../../../filters/metadata-filter.ts'
import type { Usage } from '../../../../contract/agent-event.ts'
import type { ExecutionDetail } from '../../../../contract/endpoints/execution.ts'
import { formatCost } from '../../../../contract/usage/cost.ts'
import { Link } from '../../../router/link.tsx'
import { CopyButton } from '../../../ui/controls/copy-button.tsx'
import { countText, exactTime } from '../../../ui/time/format-time.ts'
import { Duration, Time } from '../../../ui/time/time.tsx'
import { Fact } from '../../../ui/layout/fact.tsx'
import { Actors } from './actors.tsx'
import { Lineage } from './lineage.tsx'

export interface FactsProps {
  readonly record: ExecutionDetail
  readonly stored: boolean
}

/** Workflow, times, usage, users, trace and lineage of an execution. */
export function Facts({ record, stored }: FactsProps) {
  const {
    workflowId,
    createdAt,
    endedAt,
    timesOutAt,
    status,
    userId,
    conversationId,
    metadata,
    suspension,
    waiting,
    usage,
  } = record
  const duration = endedAt === undefined ? undefined : Date.parse(endedAt) - Date.parse(createdAt)
  return (
    <dl className="flex shrink-0 flex-wrap gap-x-5 gap-y-0.5 border-b border-line px-4 py-1.5">
      <Fact name="Workflow">
        <Link to={`workflows/${encodeURIComponent(workflowId)}`}>{workflowId}</Link>
      </Fact>
      <Fact name="Execution">
        <span className="break-all font-mono text-sm">{record.id}</span>
        <CopyButton text={record.id} label="Copy execution id" />
      </Fact>
      <Fact name="Started">
        <Time at={createdAt} />
      </Fact>
      {waiting && (
        <Fact name="Waiting">
          <Duration since={waiting.since} />
        </Fact>
      )}
      {status === 'suspended' && suspension ? (
        <Fact name="Waiting">
          <Duration since={suspension.suspendedAt} />
        </Fact>
      ) : (
        <Fact name="Duration">
          <Duration ms={duration} since={createdAt} />
        </Fact>
      )}
      {timesOutAt !== undefined && endedAt === undefined && (
        <Fact name="Times out">
          <span>{exactTime(timesOutAt)}</span>
        </Fact>
      )}
      {usage && (
        <Fact name="Tokens">
          {`${countText(usage.inputTokens)} in, ${countText(usage.outputTokens)} out`}
        </Fact>
      )}
      {usage && (
        <Fact name="Cost">
          {stored ? (
            <Link to={`executions/${encodeURIComponent(record.id)}?tab=costs`}>{usageCost(usage)}</Link>
          ) : (
            usageCost(usage)
          )}
        </Fact>
      )}
      {userId !== undefined && (
        <Fact name="User">
          <Link to={`executions?userId=${encodeURIComponent(userId)}`}>{userId}</Link>
        </Fact>
      )}
      <Actors record={record} />
      {conversationId !== undefined && (
        <Fact name="Conversation">
          <Link to={`executions?conversationId=${encodeURIComponent(conversationId)}`}>{conversationId}</Link>
        </Fact>
      )}
      <Given metadata={metadata} />
      <Fact name="Trace">
        <Link to={`traces/${encodeURIComponent(metadata.traceId)}`}>
          <span className="font-mono text-sm">{metadata.traceId.slice(0, 8)}</span>
        </Link>
        <CopyButton text={metadata.traceId} label="Copy trace id" />
      </Fact>
      <Lineage record={record} stored={stored} />
    </dl>
  )
}

/** The metadata that the execution was given, each a link to those with the same. */
function Given({ metadata }: Pick<ExecutionDetail, 'metadata'>) {
  const { traceId: _, spanId: __, ...given } = metadata
  return Object.entries(given).map(([name, value]) => (
    <Fact key={name} name={name}>
      <Link to={`executions?metadata=${encodeURIComponent(metadataText(name, value as string))}`}>
        {String(value)}
      </Link>
    </Fact>
  ))
}

function usageCost({ costUsd }: Usage): string {
  return costUsd === null ? 'unknown' : formatCost(costUsd)
}
