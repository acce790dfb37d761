import type { ReactNode } from 'react'
import { formatCost, sumCosts } from '../../../contract/usage/cost.ts'
import type { DataOf } from '../../api/call.ts'
import { Link } from '../../router/link.tsx'
import { countText } from '../../ui/time/format-time.ts'
import { Icon } from '../../ui/icon.tsx'
import type { IconName } from '../../ui/icon.tsx'

/** Limit up to which the server counts running and suspended executions. */
const MAX_COUNTED = 100_000

/** Key figures of the server, each linked to its list. */
export function Numbers({ usage }: { readonly usage: DataOf<'getActivity'> }) {
  const { running, suspended, hours } = usage
  const sum = (name: 'started' | 'errors' | 'inputTokens' | 'outputTokens') =>
    hours.reduce((all, hour) => all + hour[name], 0)
  const errors = sum('errors')
  const cost = sumCosts(hours.map(({ costUsd }) => costUsd))
  return (
    <dl className="flex shrink-0 flex-wrap gap-x-6 gap-y-0.5 border-b border-line bg-panel px-4 py-1">
      <StatusDetail name="Running" status="running" count={running}>
        {countUpTo(running)}
      </StatusDetail>
      <StatusDetail name="Suspended" status="suspended" count={suspended}>
        {countUpTo(suspended)}
      </StatusDetail>
      <StatusDetail name="Failed, 24 h" status="error" count={errors}>
        {countText(errors)}
      </StatusDetail>
      <Detail name="Runs, 24 h" to="executions?last=24h">
        {countText(sum('started'))}
      </Detail>
      <Detail name="Tokens, 24 h" to="costs">
        {countText(sum('inputTokens') + sum('outputTokens'))}
      </Detail>
      <Detail name="Cost, 24 h" to="costs">
        {formatCost(cost)}
      </Detail>
    </dl>
  )
}

const TONES = { running: 'text-running', suspended: 'text-suspended', error: 'text-error' }

interface StatusDetailProps {
  readonly name: string
  readonly status: keyof typeof TONES
  readonly count: number
  readonly children: ReactNode
}

/** Number of executions with a status, coloured when there are any. */
function StatusDetail({ name, status, count, children }: StatusDetailProps) {
  return (
    <Detail
      name={name}
      to={status === 'error' ? 'executions?status=error&last=24h' : `executions?status=${status}`}
      icon={status}
      tone={count > 0 ? TONES[status] : ''}
    >
      {children}
    </Detail>
  )
}

interface DetailProps {
  readonly name: string
  readonly to: string
  readonly icon?: IconName
  readonly tone?: string
  readonly children: ReactNode
}

function Detail({ name, to, icon, tone = '', children }: DetailProps) {
  return (
    <div className="flex items-center gap-1.5">
      <dt className={`flex items-center gap-1 text-sm ${tone === '' ? 'text-dim' : tone}`}>
        {icon && <Icon name={icon} />}
        {name}
      </dt>
      <dd>
        <Link
          to={to}
          className="inline-block min-w-6 whitespace-nowrap font-semibold leading-6 hover:underline"
        >
          {children}
        </Link>
      </dd>
    </div>
  )
}

function countUpTo(count: number): string {
  return countText(count) + (count >= MAX_COUNTED ? '+' : '')
}
