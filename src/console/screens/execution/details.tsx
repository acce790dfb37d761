import type { ExecutionDetail } from '../../../contract/endpoints/execution.ts'
import { eventTime } from '../../../contract/fold-events.ts'
import { formatCost } from '../../../contract/usage/cost.ts'
import { DecidedBy } from '../../approvals/decided-by.tsx'
import { metadataText } from '../../filters/metadata-filter.ts'
import { Link } from '../../router/link.tsx'
import { CopyButton } from '../../ui/controls/button.tsx'
import { Detail } from '../../ui/layout/key-value.tsx'
import { countText, durationBetween, exactTime } from '../../ui/time/format-time.ts'
import { Duration, Time } from '../../ui/time/time.tsx'
import { useReplays } from './compare-view.tsx'

export interface DetailsProps {
  readonly record: ExecutionDetail
  readonly stored: boolean
}

/** Workflow, times, usage, users, trace and lineage of an execution. */
export function Details({ record, stored }: DetailsProps) {
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
  return (
    <dl className="flex flex-wrap gap-x-5 gap-y-0.5">
      <Detail name="Workflow">
        <Link to={`workflows/${encodeURIComponent(workflowId)}`}>{workflowId}</Link>
      </Detail>
      <Detail name="Run">
        <span className="break-all font-mono text-sm">{record.id}</span>
        <CopyButton text={record.id} label="Copy run id" />
      </Detail>
      <Detail name="Started">
        <Time at={createdAt} />
      </Detail>
      {waiting && (
        <Detail name="Waiting">
          <Duration since={waiting.since} />
        </Detail>
      )}
      {status === 'suspended' && suspension ? (
        <Detail name="Waiting">
          <Duration since={suspension.suspendedAt} />
        </Detail>
      ) : (
        <Detail name="Duration">
          <Duration ms={durationBetween(createdAt, endedAt)} since={createdAt} />
        </Detail>
      )}
      {timesOutAt !== undefined && endedAt === undefined && (
        <Detail name="Times out">
          <span>{exactTime(timesOutAt)}</span>
        </Detail>
      )}
      {usage && (
        <Detail name="Tokens">
          {`${countText(usage.inputTokens)} in, ${countText(usage.outputTokens)} out`}
        </Detail>
      )}
      {usage && (
        <Detail name="Cost">
          {stored ? (
            <Link to={`executions/${encodeURIComponent(record.id)}?view=costs`}>
              {formatCost(usage.costUsd)}
            </Link>
          ) : (
            formatCost(usage.costUsd)
          )}
        </Detail>
      )}
      {userId !== undefined && (
        <Detail name="User">
          <Link to={`executions?userId=${encodeURIComponent(userId)}`}>{userId}</Link>
        </Detail>
      )}
      <Actors record={record} />
      {conversationId !== undefined && (
        <Detail name="Conversation">
          <Link to={`executions?conversationId=${encodeURIComponent(conversationId)}`}>{conversationId}</Link>
        </Detail>
      )}
      <Given metadata={metadata} />
      <Detail name="Request">
        <Link to={`traces/${encodeURIComponent(metadata.traceId)}`}>
          <span className="font-mono text-sm">{metadata.traceId.slice(0, 8)}</span>
        </Link>
        <CopyButton text={metadata.traceId} label="Copy id of the request" />
      </Detail>
      <Lineage record={record} stored={stored} />
      <Detail name="Definition">
        <span className="font-mono text-sm">{record.definitionHash.slice(0, 8)}</span>
        <CopyButton text={record.definitionHash} label="Copy definition hash" />
      </Detail>
    </dl>
  )
}

/** The metadata that the execution was given, each a link to those with the same. */
function Given({ metadata }: Pick<ExecutionDetail, 'metadata'>) {
  const { traceId: _, spanId: __, ...given } = metadata
  return Object.entries(given).map(([name, value]) => (
    <Detail key={name} name={name}>
      <Link to={`executions?metadata=${encodeURIComponent(metadataText(name, value as string))}`}>
        {String(value)}
      </Link>
    </Detail>
  ))
}

/** Links shown; the others are in the timeline and the list. */
const MAX_LINKS = 4

/** Parent, schedule, replayed execution, children and replays. */
function Lineage({ record, stored }: { record: ExecutionDetail; stored: boolean }) {
  const { id, parentExecutionId, scheduleId, forkedFrom, steps } = record
  const children = steps.flatMap(({ childExecutionId, name }) =>
    childExecutionId === undefined ? [] : [{ id: childExecutionId, name }],
  )
  const replays = useReplays(id, stored)
  return (
    <>
      {parentExecutionId !== undefined && (
        <Detail name="Parent">
          <ExecutionLink id={parentExecutionId} />
        </Detail>
      )}
      {scheduleId !== undefined && (
        <Detail name="Schedule">
          <Link to={`executions?scheduleId=${encodeURIComponent(scheduleId)}`}>{scheduleId}</Link>
        </Detail>
      )}
      {forkedFrom && (
        <Detail name={forkedFrom.pinned ? 'Pinned replay of' : 'Replay of'}>
          <ExecutionLink id={forkedFrom.executionId} />
          <span className="text-dim">from step {forkedFrom.stepId}</span>
        </Detail>
      )}
      {children.length > 0 && (
        <Detail name={children.length === 1 ? 'Child' : `${children.length} children`}>
          {children.slice(0, MAX_LINKS).map((child) => (
            <ExecutionLink key={child.id} id={child.id} text={child.name} />
          ))}
          {children.length > MAX_LINKS && (
            <Link to={`executions?parentExecutionId=${encodeURIComponent(id)}`}>show all</Link>
          )}
        </Detail>
      )}
      {replays.length > 0 && (
        <Detail name={replays.length === 1 ? 'Replay' : `${replays.length} replays`}>
          {replays.slice(0, MAX_LINKS).map((replay) => (
            <ExecutionLink key={replay.id} id={replay.id} />
          ))}
          {replays.length > MAX_LINKS && (
            <Link to={`executions?forkedFrom=${encodeURIComponent(id)}`}>show all</Link>
          )}
        </Detail>
      )}
    </>
  )
}

function ExecutionLink({ id, text }: { readonly id: string; readonly text?: string }) {
  return (
    <Link to={`executions/${encodeURIComponent(id)}`} title={id}>
      {text ?? <span className="font-mono text-sm">{id.length > 16 ? `…${id.slice(-12)}` : id}</span>}
    </Link>
  )
}

/** The members that name users, and their labels. */
const ACTORS = [
  ['ownerId', 'Owner'],
  ['startedBy', 'Started by'],
  ['replayedBy', 'Replayed by'],
  ['suspendedBy', 'Suspended by'],
  ['cancelledBy', 'Cancelled by'],
] as const satisfies readonly (readonly [keyof ExecutionDetail, string])[]

/** The owner of an execution, and who did something with it. */
function Actors({ record }: { readonly record: ExecutionDetail }) {
  return (
    <>
      <Users record={record} />
      <Resumer record={record} />
      <Accepter record={record} />
    </>
  )
}

/** Who last resumed the execution, if it was a decision. */
function Resumer({ record }: { readonly record: ExecutionDetail }) {
  const { resumedBy, resumedAs, resumedOver } = record
  if (resumedBy === undefined && resumedOver === undefined) return null
  const event = record.events.findLast(({ type }) => type === 'workflow-resumed')
  return (
    <Detail name="Resumed by">
      <span>
        <DecidedBy by={resumedBy} as={resumedAs} over={resumedOver} at={event && eventTime(event)} />
      </span>
    </Detail>
  )
}

/** Who has accepted that it runs on with code which its record does not fit. */
function Accepter({ record: { acceptedChanges } }: { readonly record: ExecutionDetail }) {
  if (!acceptedChanges) return null
  const { by, as, over, at } = acceptedChanges
  return (
    <Detail name="Changes accepted by">
      <span>
        <DecidedBy by={by} as={as} over={over} at={Date.parse(at)} />
      </span>
    </Detail>
  )
}

function Users({ record }: { readonly record: ExecutionDetail }) {
  const { ownerId } = record
  return ACTORS.map(([key, name]) => {
    const id = record[key]
    const repeatsOwner = id === ownerId && (key === 'startedBy' || key === 'replayedBy')
    return (
      id !== undefined &&
      !repeatsOwner && (
        <Detail key={key} name={name}>
          <span className="break-all">{id}</span>
        </Detail>
      )
    )
  })
}
