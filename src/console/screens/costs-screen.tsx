import { PageHeader } from '../ui/layout/page-header.tsx'
import { useMemo } from 'react'
import type { Costs } from '../../contract/endpoints/usage.ts'
import { formatCost } from '../../contract/usage/cost.ts'
import { useEndpoint } from '../api/use-endpoint.ts'
import { BarChart } from '../charts/bar-chart.tsx'
import { FilterBar, FilterTime } from '../filters/filter-bar.tsx'
import { Link } from '../router/link.tsx'
import { useUrlState } from '../router/use-url-state.ts'
import { Segmented } from '../ui/controls/segmented.tsx'
import { Pending, EmptyState } from '../ui/state/states.tsx'
import { countText } from '../ui/time/format-time.ts'
import { CostTable, costText } from '../usage/cost-table.tsx'
import type { CostColumn } from '../usage/cost-table.tsx'

/** What models cost, by model, agent, workflow, step and time. */
export function CostsScreen() {
  return (
    <>
      <PageHeader title="Costs" />
      <CostsView />
    </>
  )
}

const HOUR_MS = 3_600_000
/** Bars in the chart. */
const MAX_PERIODS = 400
const RANGES = { '1h': HOUR_MS, '24h': 24 * HOUR_MS, '7d': 168 * HOUR_MS, '30d': 720 * HOUR_MS } as const
const OPTIONS = [
  ['1h', '1 hour'],
  ['24h', '24 hours'],
  ['7d', '7 days'],
  ['30d', '30 days'],
  ['custom', 'Custom'],
] as const
const STATE = { last: '7d', from: '', to: '' }

/** What models cost in a range of time: in all, or of one agent. */
export function CostsView({ agentId }: { readonly agentId?: string }) {
  const [{ last, from, to }, set] = useUrlState(STATE)
  const isCustom = last === 'custom'
  const since = useMemo(() => {
    const ms = RANGES[last as keyof typeof RANGES] ?? RANGES['7d']
    return new Date(Date.now() - ms).toISOString()
  }, [last])
  const range = isCustom ? { ...(from && { from }), ...(to && { to }) } : { from: since }
  const call = { query: { ...range, ...(agentId !== undefined && { agentId }) } }
  const { data, error, refetch } = useEndpoint('getCosts', call, { keep: true })
  return (
    <>
      <FilterBar>
        <Segmented
          label="Time range"
          value={last}
          options={OPTIONS}
          onChange={(next) => set({ last: next, from: next === 'custom' ? since : '', to: '' })}
        />
        {isCustom && (
          <>
            <FilterTime label="From" value={from} onChange={(next) => set({ from: next })} />
            <FilterTime label="To" value={to} onChange={(next) => set({ to: next })} />
          </>
        )}
        {data && <Total costs={data} />}
      </FilterBar>
      {!data ? (
        <Pending error={error} retry={refetch} />
      ) : data.total.calls === 0 ? (
        <EmptyState title="No model calls in this time">
          Costs appear here when the answers of agents end, by workflow, step, agent and model.
        </EmptyState>
      ) : (
        <div tabIndex={0} role="region" aria-label="Costs" className="min-h-0 flex-1 overflow-auto p-4">
          <CostChart costs={data} />
          <div className="grid gap-x-8 gap-y-6 xl:grid-cols-2">
            <Groups costs={data} ofAgent={agentId !== undefined} />
          </div>
        </div>
      )}
    </>
  )
}

function Total({ costs: { total } }: { readonly costs: Costs }) {
  return (
    <span role="status" className="ml-auto text-sm text-dim">
      {countText(total.calls)} {total.calls === 1 ? 'call' : 'calls'},{' '}
      <strong className="text-base font-semibold text-text">{costText(total)}</strong>
    </span>
  )
}

const WORKFLOW: CostColumn<{ readonly workflowId: string; readonly trial?: true | undefined }> = {
  name: 'Workflow',
  cell: ({ workflowId, trial }) =>
    workflowId === '' ? (
      <span className="text-dim">none: {trial ? 'prompt lab' : 'requests to agents'}</span>
    ) : (
      <Link to={`workflows/${encodeURIComponent(workflowId)}?tab=statistics`} className="text-accent">
        {workflowId}
      </Link>
    ),
}

const STEP: CostColumn<{ readonly step: string; readonly workflowId: string }> = {
  name: 'Step',
  cell: (row) => (
    <>
      {row.step}
      <span className="block text-sm">{WORKFLOW.cell(row)}</span>
    </>
  ),
}

const MODEL: CostColumn<{ readonly model: string }> = {
  name: 'Model',
  cell: ({ model }) => <bdi>{model}</bdi>,
}

const AGENT: CostColumn<{ readonly agentId: string }> = {
  name: 'Agent',
  cell: ({ agentId }) => (
    <Link to={`agents/${encodeURIComponent(agentId)}?tab=costs`} className="text-accent">
      {agentId}
    </Link>
  ),
}

const DAY: CostColumn<{ readonly start: string }> = { name: 'Day', cell: ({ start }) => dayText(start) }
const HOUR: CostColumn<{ readonly start: string }> = { name: 'Hour', cell: ({ start }) => hourText(start) }

function Budgets({ budgets }: Pick<Costs, 'budgets'>) {
  if (budgets.length === 0) return null
  return (
    <section className="min-w-0">
      <h2 className="border-b border-line pb-1 font-semibold">Budgets</h2>
      <ul>
        {budgets.map(({ declaredOn, per, everyHours, usd, tokens, subject, usedUsd, usedTokens }, index) => (
          <li key={index} className="flex justify-between gap-3 border-t border-line py-1">
            <span>
              {declaredOn}, per {per}
              {everyHours !== null && ` every ${everyHours} h`}
            </span>
            <span className="text-right tabular-nums [overflow-wrap:anywhere]">
              {[
                usd !== null && `${formatCost(usedUsd)} of ${formatCost(usd)}`,
                tokens !== null && `${countText(usedTokens)} of ${countText(tokens)} tokens`,
                subject,
              ]
                .filter(Boolean)
                .join(', ')}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Groups({ costs, ofAgent }: { readonly costs: Costs; readonly ofAgent: boolean }) {
  const { workflows, steps, agents, models, periods, periodHours } = costs
  const isDaily = periodHours > 1
  return (
    <>
      <Budgets budgets={costs.budgets} />
      <CostTable title="By model" rows={models} rowKey={({ model }) => model} column={MODEL} />
      {!ofAgent && (
        <CostTable title="By agent" rows={agents} rowKey={({ agentId }) => agentId} column={AGENT} />
      )}
      <CostTable
        title="By workflow"
        rows={workflows}
        rowKey={({ workflowId, trial }) => `${workflowId} ${trial}`}
        column={WORKFLOW}
      />
      <CostTable
        title="By step"
        rows={steps}
        rowKey={({ workflowId, step }) => `${workflowId} ${step}`}
        column={STEP}
      />
      <CostTable
        title={isDaily ? 'By day (UTC)' : 'By hour'}
        rows={periods.toReversed()}
        rowKey={({ start }) => start}
        column={isDaily ? DAY : HOUR}
      />
    </>
  )
}

const COST = [{ name: 'US dollars', tone: 'fill-accent' }]

/** The cost of each period of the range, also of those without calls. */
function CostChart({ costs: { from, to, periods, periodHours, total } }: { readonly costs: Costs }) {
  const stepMs = periodHours * HOUR_MS
  const known = new Map(periods.map(({ start, knownCostUsd }) => [Date.parse(start), knownCostUsd]))
  const first = Math.floor(Date.parse(from) / stepMs) * stepMs
  const count = Math.ceil((Date.parse(to) - first) / stepMs)
  const nameOf = periodHours > 1 ? dayText : hourText
  // a few periods are no curve, and a range of years has no room
  if (count < 2 || count > MAX_PERIODS || total.knownCostUsd === 0) return null
  const bars = Array.from({ length: count }, (_, index) => first + index * stepMs).map((start) => ({
    name: nameOf(new Date(start).toISOString()),
    values: [known.get(start) ?? 0],
  }))
  return (
    <div className="pb-6">
      <BarChart
        label={periodHours > 1 ? 'Cost per day' : 'Cost per hour'}
        unit={periodHours > 1 ? 'Day' : 'Hour'}
        summary=""
        least={0}
        end={bars.at(-1)?.name ?? ''}
        layers={COST}
        valueText={formatCost}
        bars={bars}
      />
    </div>
  )
}

function dayText(start: string): string {
  return new Date(start).toLocaleDateString('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  })
}

function hourText(start: string): string {
  return new Date(start).toLocaleString('en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  })
}
