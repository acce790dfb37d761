import { BarChart } from '../../charts/bar-chart.tsx'
import { exactTime } from '../../ui/time/format-time.ts'
import type { ScoredRun } from './score-strip.tsx'
import { scoreText } from './score.tsx'

const LAYERS = [
  { name: 'passed', tone: 'fill-ok' },
  { name: 'failed', tone: 'fill-error' },
  { name: 'not completed', tone: 'fill-cancelled' },
]
const REM_PER_RUN = 2.5
const LEAST_REM = 20

export interface ScoreChartProps {
  /** Oldest first. */
  readonly runs: readonly ScoredRun[]
  readonly threshold: number | null
}

/** The scores of runs over time, with the threshold. */
export function ScoreChart({ runs, threshold }: ScoreChartProps) {
  const first = runs[0]
  const last = runs.at(-1)
  if (!first || !last) return null
  return (
    <div
      className="shrink-0 px-4 pb-2"
      style={{ maxWidth: `${Math.max(LEAST_REM, runs.length * REM_PER_RUN)}rem` }}
    >
      <BarChart
        label="Score over time"
        unit="Run"
        summary={threshold === null ? '' : `threshold ${scoreText(threshold)}`}
        limit={threshold ?? undefined}
        end={runs.length > 1 ? dayAndTime(last) : ''}
        layers={LAYERS}
        valueText={String}
        bars={runs.map((run) => ({
          name: dayAndTime(run),
          values: [run.passed === true, run.passed === false, run.passed === null].map((is) =>
            is ? run.score : 0,
          ),
        }))}
      />
    </div>
  )
}

function dayAndTime({ startedAt }: ScoredRun): string {
  return exactTime(startedAt).slice(5, 16)
}
