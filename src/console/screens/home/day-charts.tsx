import type { DataOf } from '../../api/call.ts'
import { useEndpoint, usePolling } from '../../api/use-endpoint.ts'
import { fromFirstValue } from '../../charts/axis.ts'
import { BarChart } from '../../charts/bar-chart.tsx'
import type { Layer } from '../../charts/bar-chart.tsx'
import { useChanges } from '../../live/use-topic.ts'
import { useUrlState } from '../../router/use-url-state.ts'
import { Segmented } from '../../ui/controls/segmented.tsx'
import { countText } from '../../ui/time/format-time.ts'
import { TitledSection } from '../../ui/layout/titled-section.tsx'

type Slice = DataOf<'listLastHour'>[number]

const STATUSES: readonly Layer[] = [
  { name: 'completed', tone: 'fill-ok' },
  { name: 'cancelled', tone: 'fill-cancelled' },
  { name: 'failed', tone: 'fill-error' },
]
const TOKENS: readonly Layer[] = [
  { name: 'input', tone: 'fill-accent' },
  { name: 'output', tone: 'fill-suspended' },
]
const RANGES = [
  ['hour', 'Last hour'],
  ['day', '24 hours'],
] as const
/** Bars of a chart at least. */
const MIN_BARS = 6
const UPDATE_MS = 2000
/** The current slice moves on by itself. */
const POLL_MS = 15_000

/** Executions and tokens: of the last hour first, or of the last 24 hours where there is nothing in it. */
export function DayCharts({ hours }: { readonly hours: DataOf<'getActivity'>['hours'] }) {
  const [{ range }, set] = useUrlState({ range: '' })
  const { data: slices = [], refetch } = useEndpoint('listLastHour', { quiet: true }, { keep: true })
  useChanges('executions', refetch, UPDATE_MS)
  usePolling(refetch, POLL_MS)
  const chosen = range === '' ? (slices.some((one) => isActive(one)) ? 'hour' : 'day') : range
  const shown: readonly Slice[] = chosen === 'hour' ? slices : hours
  const title = chosen === 'hour' ? 'Last hour' : 'Last 24 hours'
  return (
    <TitledSection
      title={title}
      aside={
        hours.some((one) => isActive(one)) && (
          <Segmented
            label="Range of the charts"
            options={RANGES}
            value={chosen === 'hour' ? 'hour' : 'day'}
            onChange={(next) => set({ range: next })}
          />
        )
      }
    >
      {shown.some((one) => isActive(one)) ? (
        <Charts slices={shown} unit={chosen === 'hour' ? 'Time' : 'Hour'} />
      ) : (
        <p className="pt-2 text-sm text-dim">Nothing has run in the {title.toLowerCase()}.</p>
      )}
    </TitledSection>
  )
}

function Charts({ slices, unit }: { readonly slices: readonly Slice[]; readonly unit: string }) {
  const total = (value: (slice: Slice) => number) => slices.reduce((all, slice) => all + value(slice), 0)
  const sum = (value: (slice: Slice) => number) => countText(total(value))
  const bars = (values: (slice: Slice) => readonly number[]) =>
    fromFirstValue(
      slices.map((slice) => ({ name: startOf(slice), values: values(slice) })),
      MIN_BARS,
    )
  const runs = bars(({ completed, cancelled, errors }) => [completed, cancelled, errors])
  const tokens = bars(({ inputTokens, outputTokens }) => [inputTokens, outputTokens])
  return (
    <>
      {runs.length > 0 && (
        <BarChart
          label="Runs"
          unit={unit}
          summary={`${sum(({ completed }) => completed)} completed, ${sum(({ errors }) => errors)} failed, ${sum(({ cancelled }) => cancelled)} cancelled`}
          layers={STATUSES}
          bars={runs}
        />
      )}
      {tokens.length > 0 && (
        <BarChart
          label="Tokens"
          unit={unit}
          summary={`${sum(({ inputTokens }) => inputTokens)} in, ${sum(({ outputTokens }) => outputTokens)} out, ${sum(({ answers }) => answers)} responses`}
          layers={TOKENS}
          bars={tokens}
        />
      )}
    </>
  )
}

function isActive({ completed, errors, cancelled, inputTokens, outputTokens }: Slice): boolean {
  return completed + errors + cancelled + inputTokens + outputTokens > 0
}

function startOf({ start }: Slice): string {
  return new Date(start).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
}
