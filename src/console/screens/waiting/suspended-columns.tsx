import { CalendarClock, CircleUser, Zap } from 'lucide-react'
import type { LucideIcon } from 'lucide-react'
import type { ExecutionRecord } from '../../../contract/endpoints/execution.ts'
import { workflowNameOf } from '../../executions/workflow-name.ts'
import { Link } from '../../router/link.tsx'
import type { Column } from '../../ui/table/data-table.tsx'
import { escapeHidden } from '../../ui/escape-hidden.ts'
import { exactTime, inText } from '../../ui/time/format-time.ts'
import { Time } from '../../ui/time/time.tsx'
import { useNow } from '../../ui/time/use-now.ts'
import { WaitAction } from './wait-action.tsx'
import { waitKindOf } from './wait-kind.ts'
import type { WaitKind } from './wait-kind.ts'

const KINDS: Readonly<Record<WaitKind, readonly [icon: LucideIcon, text: string]>> = {
  sleep: [CalendarClock, 'a time'],
  event: [Zap, 'an event'],
  person: [CircleUser, 'a response'],
}

export const SUSPENDED_COLUMNS: readonly Column<ExecutionRecord>[] = [
  { name: 'Waits for', width: '6.5rem', cell: (record) => <Kind kind={waitKindOf(record)} /> },
  {
    name: 'Workflow',
    width: 'minmax(6rem, 1fr)',
    cell: (record) => (
      <Link to={`executions/${encodeURIComponent(record.id)}`} tabIndex={-1} title={record.workflowId}>
        {workflowNameOf(record)}
      </Link>
    ),
  },
  {
    name: 'Details',
    width: 'minmax(8rem, 2fr)',
    cell: ({ suspension }) => suspension && <Details suspension={suspension} />,
  },
  {
    name: 'Wakes',
    width: '6rem',
    cell: ({ status, suspension }) =>
      status === 'suspended' && suspension?.wakeAt !== undefined && <WakeTime at={suspension.wakeAt} />,
  },
  {
    name: 'Since',
    width: '6rem',
    cell: ({ suspension }) => suspension && <Time at={suspension.suspendedAt} />,
  },
  { name: 'Actions', width: '7rem', quiet: true, cell: (record) => <WaitAction record={record} /> },
]

function Kind({ kind }: { readonly kind: WaitKind }) {
  const [Icon, text] = KINDS[kind]
  return (
    <span className="flex items-center gap-1.5">
      <Icon aria-hidden="true" className="size-3.5 shrink-0 text-suspended" />
      {text}
    </span>
  )
}

type Suspension = NonNullable<ExecutionRecord['suspension']>

function Details({ suspension: { stepId, reason, event, key } }: { readonly suspension: Suspension }) {
  const text = event === undefined ? reason : `${event} ${key ?? ''}`
  const title = escapeHidden(`${stepId}: ${text}`)
  if (event === undefined) return <span title={title}>{title}</span>
  return (
    <span title={title}>
      {stepId}: <span className="font-mono text-sm">{escapeHidden(event)}</span>
      {key !== undefined && (
        <span className="pl-2 font-mono text-sm text-dim">{key === null ? key : escapeHidden(key)}</span>
      )}
    </span>
  )
}

function WakeTime({ at }: { readonly at: string }) {
  const now = useNow()
  return (
    <time dateTime={at} title={exactTime(at)}>
      {inText(at, now)}
    </time>
  )
}
