import { ApiError } from '../../../client/api-error.ts'
import { useEndpoint, usePolling } from '../../api/use-endpoint.ts'
import { usePages } from '../../api/use-pages.ts'
import { BarChart } from '../../charts/bar-chart.tsx'
import { useChanges } from '../../live/use-topic.ts'
import { Link } from '../../router/link.tsx'
import type { ScreenProps } from '../../router/route.ts'
import { useServices } from '../../services/services-context.tsx'
import { Tabs } from '../../ui/layout/tabs.tsx'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { EmptyState } from '../../ui/state/states.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { exactTime } from '../../ui/time/format-time.ts'
import { CasesTab } from './cases-tab.tsx'
import { EvalProblem, EVAL_RUN_COLUMNS, TargetLink, EvalRunButton } from './eval-runs.tsx'
import { hasScore, scoreText } from './score.tsx'
import type { ScoredEvalRun } from './score.tsx'

const POLL_MS = 2000
/** Runs in the chart. */
const CHART_RUNS = 40

/** One eval: its score over time, its cases as saved, and its runs. */
export function EvalScreen({ params: { id = '' } }: ScreenProps) {
  const { router } = useServices()
  const { data: evals, refetch: refetchEvals } = useEndpoint('listEvals', {})
  const { total, error, at, show, refetch } = usePages('listEvalRuns', { params: { id } })
  const declared = evals?.find((one) => one.id === id)
  usePolling(() => at(0)?.status === 'running' && refetch(), POLL_MS)
  useChanges('config', refetchEvals)
  const newest = Array.from({ length: Math.min(total ?? 0, CHART_RUNS) }, (_, index) => at(index))
  const scored = newest.filter((run) => run !== undefined).filter(hasScore)
  const beforeOf = (index: number) => {
    for (let older = index + 1; older < (total ?? 0); older++) {
      const run = at(older)
      if (run && hasScore(run)) return run.score
    }
    return undefined
  }
  const runsTab = (
    <ListView
      label="Runs"
      columns={EVAL_RUN_COLUMNS}
      count={total}
      row={(index) => {
        const run = at(index)
        return run && { run, before: beforeOf(index) }
      }}
      rowKey={({ run }) => run.id}
      open={({ run }) => void router.navigate(`evals/runs/${encodeURIComponent(run.id)}`)}
      onVisible={show}
      error={error}
      retry={refetch}
      noun="run"
      filtered={false}
      empty={
        <EmptyState title="Not run yet">
          A run scores all cases with the code as saved. Its results are kept, and compared with later runs.
        </EmptyState>
      }
    />
  )
  if (error instanceof ApiError && error.status === 404)
    return (
      <>
        <PageHeader title={id} />
        <EmptyState title={`Eval "${id}" not found`}>
          The code as saved does not contain it, and it has no runs. <Link to="evals">Show all evals</Link>
        </EmptyState>
      </>
    )
  return (
    <>
      <PageHeader
        title={id}
        aside={
          declared && (
            <span className="flex min-w-0 flex-wrap gap-x-4 text-dim">
              {declared.problem === null && <TargetLink target={declared.target} />}
              {declared.threshold !== null && <span>threshold {scoreText(declared.threshold)}</span>}
            </span>
          )
        }
        actions={<EvalRunButton evalId={id} />}
      />
      <EvalProblem problem={declared?.problem} />
      <ScoreChart
        runs={scored.toReversed()}
        threshold={declared?.threshold ?? scored[0]?.threshold ?? null}
      />
      <Tabs
        label="Eval"
        tabs={[
          {
            id: 'cases',
            name: 'Cases',
            count: declared?.cases ?? undefined,
            render: () => <CasesTab key={id} evalId={id} newest={at(0)} />,
          },
          { id: 'runs', name: 'Runs', count: total, render: () => runsTab },
        ]}
      />
    </>
  )
}

const LAYERS = [
  { name: 'passed', tone: 'fill-ok' },
  { name: 'failed', tone: 'fill-error' },
  { name: 'not completed', tone: 'fill-cancelled' },
]

const REM_PER_RUN = 2.5

const LEAST_REM = 20

interface ScoreChartProps {
  /** Oldest first. */
  readonly runs: readonly ScoredEvalRun[]
  readonly threshold: number | null
}

/** The scores of runs over time, with the threshold. */
function ScoreChart({ runs, threshold }: ScoreChartProps) {
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
        least={1}
        valueText={scoreText}
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

function dayAndTime({ startedAt }: ScoredEvalRun): string {
  return exactTime(startedAt).slice(5, 16)
}
