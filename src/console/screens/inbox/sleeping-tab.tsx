import { useRef } from 'react'
import { CalendarClock, Zap } from 'lucide-react'
import type { LucideIcon } from 'lucide-react'
import type { ExecutionRecord } from '../../../contract/endpoints/execution.ts'
import { SLEEPING, WAITING } from '../../../contract/wait-reasons.ts'
import { usePages } from '../../api/use-pages.ts'
import type { Pages } from '../../api/use-pages.ts'
import { useResume } from '../../execution/use-resume.ts'
import { workflowNameOf } from '../../executions/workflow-name.ts'
import { useThrottled } from '../../live/use-throttled.ts'
import { useTopic } from '../../live/use-topic.ts'
import { Link } from '../../router/link.tsx'
import { useServices } from '../../services/services-context.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { escapeHidden } from '../../ui/escape-text.ts'
import { EmptyState } from '../../ui/state/states.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import type { Column } from '../../ui/table/data-table.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { useIsAt } from '../../ui/table/use-hold.ts'
import { exactTime, inText } from '../../ui/time/format-time.ts'
import { Time } from '../../ui/time/time.tsx'
import { useNow } from '../../ui/time/use-now.ts'

const KINDS: Readonly<Record<WaitKind, readonly [icon: LucideIcon, text: string]>> = {
  sleep: [CalendarClock, 'a time'],
  event: [Zap, 'an event'],
}

const SLEEPING_COLUMNS: readonly Column<ExecutionRecord>[] = [
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

type Suspension = NonNullable<ExecutionRecord['suspension']>

const EXAMPLE = `createWorkflow({ id: 'trial' })
  .andSleep({ id: 'two-weeks', for: '14d' })
  .andWaitForEvent({ id: 'paid', event: 'invoice.paid', key: ({ data }) => data.invoiceId })`

/** Executions that wait for a time or an event. While the pointer is over the list, no row moves. */
export function SleepingTab() {
  const frame = useRef<HTMLDivElement>(null)
  const pages = useSleeping(useIsAt(frame))
  return (
    <div ref={frame} className="flex min-h-0 flex-1 flex-col">
      <ListView
        label="Sleeping runs"
        columns={SLEEPING_COLUMNS}
        count={pages.total}
        row={pages.at}
        rowKey={waitKey}
        onVisible={pages.show}
        error={pages.error}
        retry={pages.refetch}
        noun="run"
        filtered={false}
        empty={
          <EmptyState title="No run sleeps" code={EXAMPLE}>
            A workflow sleeps, or waits for an event, without using memory. Add a step to a workflow:
          </EmptyState>
        }
      />
    </div>
  )
}

function Kind({ kind }: { readonly kind: WaitKind }) {
  const [Icon, text] = KINDS[kind]
  return (
    <span className="flex items-center gap-1.5">
      <Icon aria-hidden="true" className="size-3.5 shrink-0 text-suspended" />
      {text}
    </span>
  )
}

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

const UPDATE_MS = 500

const SLEEPS: ReadonlySet<string> = new Set([SLEEPING, WAITING])

const CALL = { query: { needsInput: 'false' } } as const

/**
 * The sleeping executions, live. While held, nothing moves: those that continue keep their place, with their status,
 * and new ones are added at the end.
 */
function useSleeping(isHeld: boolean): Pages<ExecutionRecord> {
  const pages = usePages('observeExecutions', CALL, { isHeld })
  const refresh = useThrottled(pages.refetch, UPDATE_MS)
  useTopic('executions', {
    onFrame: ({ data }) => {
      if (isHeld) keepInPlace(pages, data as ExecutionRecord)
      refresh()
    },
    onResync: refresh,
  })
  return pages
}

function keepInPlace(pages: Pages<ExecutionRecord>, changed: ExecutionRecord): void {
  const waits = changed.status === 'suspended' && SLEEPS.has(changed.suspension?.reason ?? '')
  let isShown = false
  pages.patch((items) =>
    items.map((item) => {
      if (item.id !== changed.id) return item
      const isSame = waits && waitKey(item) === waitKey(changed)
      isShown ||= isSame
      return isSame ? changed : { ...item, status: waits ? 'running' : changed.status }
    }),
  )
  if (waits && !isShown) pages.append([changed])
}

/** Identifies one wait: an execution that suspends again waits for something else. */
function waitKey({ id, suspension }: ExecutionRecord): string {
  return `${id} ${suspension?.suspendedAt ?? ''}`
}

interface WaitActionProps {
  readonly record: ExecutionRecord
}

/**
 * The button that ends a wait: wakes a sleeping execution early, or opens the form for an event. How the wait ended,
 * when it has.
 */
function WaitAction({ record }: WaitActionProps) {
  const { router } = useServices()
  const { status, suspension } = record
  if (status !== 'suspended')
    return status === 'cancelled' ? (
      <StatusBadge status={status} />
    ) : (
      <StatusBadge status="ok" text="Resumed" />
    )
  if (waitKindOf(record) === 'sleep') return <Wake record={record} />
  const { event = '', key } = suspension ?? {}
  const form = new URLSearchParams({ name: event, ...(key !== undefined && { key }) })
  return (
    <Button size="small" onClick={() => void router.navigate(`events?${form.toString()}`)}>
      Send event
    </Button>
  )
}

function Wake({ record }: WaitActionProps) {
  const { resume, isSent } = useResume(record)
  return (
    <Button size="small" onClick={() => resume({})} disabled={isSent} title={`Wake ${record.workflowId} now`}>
      Wake now
    </Button>
  )
}

/** What an execution waits for: a time, or an event. */
type WaitKind = 'sleep' | 'event'

function waitKindOf({ suspension }: Pick<ExecutionRecord, 'suspension'>): WaitKind {
  return suspension?.reason === SLEEPING ? 'sleep' : 'event'
}
