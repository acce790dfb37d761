import type { ExecutionDetail } from '../../../../contract/endpoints/execution.ts'
import { Link } from '../../../router/link.tsx'
import { CopyButton } from '../../../ui/controls/copy-button.tsx'
import { Duration, Time } from '../../../ui/time/time.tsx'
import { isFinal } from '../../../../contract/is-final.ts'
import { Fact } from '../../../ui/layout/fact.tsx'
import { Lineage } from './lineage.tsx'

export interface FactsProps {
  readonly record: ExecutionDetail
  readonly stored: boolean
}

/** What an execution is: when, for whom, of what, and where to read on. */
export function Facts({ record, stored }: FactsProps) {
  const { workflowId, createdAt, endedAt, status, userId, conversationId, metadata } = record
  const took = endedAt === undefined ? undefined : Date.parse(endedAt) - Date.parse(createdAt)
  return (
    <dl className="flex shrink-0 flex-wrap gap-x-5 gap-y-0.5 border-b border-line px-4 py-1.5">
      <Fact name="Workflow">
        <Link to={`workflows/${encodeURIComponent(workflowId)}`}>{workflowId}</Link>
      </Fact>
      <Fact name="Execution">
        <span className="break-all font-mono text-sm">{record.id}</span>
        <CopyButton text={record.id} label="Copy the execution's id" />
      </Fact>
      <Fact name="Started">
        <Time at={createdAt} />
      </Fact>
      <Fact name={isFinal(status) ? 'Took' : 'For'}>
        <Duration ms={took} since={createdAt} />
      </Fact>
      {userId !== undefined && (
        <Fact name="User">
          <Link to={`executions?userId=${encodeURIComponent(userId)}`}>{userId}</Link>
        </Fact>
      )}
      {conversationId !== undefined && (
        <Fact name="Conversation">
          <Link to={`executions?conversationId=${encodeURIComponent(conversationId)}`}>{conversationId}</Link>
        </Fact>
      )}
      <Fact name="Trace">
        <Link to={`traces/${encodeURIComponent(metadata.traceId)}`}>
          <span className="font-mono text-sm">{metadata.traceId.slice(0, 8)}</span>
        </Link>
        <CopyButton text={metadata.traceId} label="Copy the trace's id" />
      </Fact>
      <Lineage record={record} stored={stored} />
    </dl>
  )
}
