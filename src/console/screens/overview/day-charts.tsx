import type { DataOf } from '../../api/call.ts'
import { countText } from '../../ui/time/format-time.ts'
import { BarChart } from './bar-chart.tsx'
import type { Layer } from './bar-chart.tsx'
import { Section } from './section.tsx'

type Hour = DataOf<'getActivity'>['hours'][number]

const STATUSES: readonly Layer[] = [
  { name: 'completed', tone: 'fill-ok' },
  { name: 'cancelled', tone: 'fill-cancelled' },
  { name: 'failed', tone: 'fill-error' },
]
const TOKENS: readonly Layer[] = [
  { name: 'input', tone: 'fill-accent' },
  { name: 'output', tone: 'fill-suspended' },
]

/** Executions and tokens of the last 24 hours, by hour. */
export function DayCharts({ hours }: { readonly hours: readonly Hour[] }) {
  const sum = (value: (hour: Hour) => number) => countText(hours.reduce((all, hour) => all + value(hour), 0))
  const name = ({ start }: Hour) =>
    new Date(start).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
  return (
    <Section title="Last 24 hours">
      <BarChart
        label="Runs"
        summary={`${sum(({ completed }) => completed)} completed, ${sum(({ errors }) => errors)} failed, ${sum(({ cancelled }) => cancelled)} cancelled`}
        layers={STATUSES}
        bars={hours.map((hour) => ({
          name: name(hour),
          values: [hour.completed, hour.cancelled, hour.errors],
        }))}
      />
      <BarChart
        label="Tokens"
        summary={`${sum(({ inputTokens }) => inputTokens)} in, ${sum(({ outputTokens }) => outputTokens)} out, ${sum(({ answers }) => answers)} responses`}
        layers={TOKENS}
        bars={hours.map((hour) => ({ name: name(hour), values: [hour.inputTokens, hour.outputTokens] }))}
      />
    </Section>
  )
}
