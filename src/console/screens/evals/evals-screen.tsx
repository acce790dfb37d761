import type { EvalSummary } from '../../../contract/endpoints/project/evals.ts'
import { useEndpoint, usePolling } from '../../api/use-endpoint.ts'
import { useChanges } from '../../live/use-topic.ts'
import { Link } from '../../router/link.tsx'
import { useServices } from '../../services/services-context.tsx'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { EmptyState } from '../../ui/state/states.tsx'
import type { Column } from '../../ui/table/data-table.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { countText } from '../../ui/time/format-time.ts'
import { Time } from '../../ui/time/time.tsx'
import { EvalProblem, TargetLink, EvalRunButton } from './eval-runs.tsx'
import { ScoreStrip, EvalRunBadge, scoreText } from './score.tsx'

/** A case file to copy. */
const EXAMPLE_CASE = `{
  "target": { "workflow": "order" },
  "input": { "orderId": "A-1", "amount": 250 },
  "expected": { "id": "r-1", "charged": 250 },
  "rules": { "/id": { "regex": "^r-\\\\d+$" } }
}`

const EVAL_COLUMNS: readonly Column<EvalSummary>[] = [
  {
    name: 'Eval',
    width: 'minmax(7rem, 2fr)',
    cell: ({ id }) => (
      <span className="font-mono text-sm" title={id}>
        {id}
      </span>
    ),
  },
  {
    name: 'Target',
    width: 'minmax(7rem, 2fr)',
    cell: ({ target, problem }) => (problem && target === null ? null : <TargetLink target={target} />),
  },
  {
    name: 'Cases',
    width: '4rem',
    align: 'right',
    cell: ({ cases }) => (cases === null ? null : countText(cases)),
  },
  {
    name: 'Score',
    width: '4rem',
    align: 'right',
    cell: ({ lastRun }) =>
      typeof lastRun?.score === 'number' && (
        <strong className="font-semibold">{scoreText(lastRun.score)}</strong>
      ),
  },
  {
    name: 'Threshold',
    width: '5.5rem',
    align: 'right',
    cell: ({ threshold }) => threshold !== null && scoreText(threshold),
  },
  {
    name: 'Scores of the last runs',
    width: 'minmax(6rem, 9rem)',
    onlyWide: true,
    cell: ({ id, lastRun }) => lastRun && <ScoreStrip evalId={id} lastRunId={lastRun.id} />,
  },
  {
    name: 'Last run',
    width: 'minmax(11rem, 2fr)',
    cell: ({ lastRun }) =>
      lastRun && (
        <span className="inline-flex items-center gap-2 align-bottom">
          <Link to={`evals/runs/${encodeURIComponent(lastRun.id)}`}>
            <EvalRunBadge run={lastRun} />
          </Link>
          <span className="text-dim">
            <Time at={lastRun.startedAt} />
          </span>
        </span>
      ),
  },
  {
    name: 'Actions',
    width: '5rem',
    quiet: true,
    cell: ({ id }) => <EvalRunButton evalId={id} size="small" />,
  },
]

/** Runs have no live topic. */
const POLL_MS = 2000

/** The evals of the code as saved, with their last runs. */
export function EvalsScreen() {
  const { router } = useServices()
  const { data: evals, error, refetch } = useEndpoint('listEvals', {})
  const isRunning = evals?.some(({ lastRun }) => lastRun?.status === 'running') ?? false
  usePolling(() => isRunning && refetch(), POLL_MS)
  useChanges('config', refetch)
  return (
    <>
      <PageHeader title="Evals" count={evals?.length} />
      <EvalProblem problem={evals?.find(({ problem }) => problem !== null)?.problem} />
      <ListView
        label="Evals"
        columns={EVAL_COLUMNS}
        count={evals?.length}
        row={(index) => evals?.[index]}
        rowKey={({ id }) => id}
        open={({ id }: EvalSummary) => void router.navigate(`evals/${encodeURIComponent(id)}`)}
        error={error}
        retry={refetch}
        noun="eval"
        filtered={false}
        empty={
          <>
            <EmptyState title="No cases yet" code={EXAMPLE_CASE}>
              A case is an input, with what is expected of the output. Save one as cases/orders/large.json, or
              open a run that went well and choose <strong>Keep as case</strong>.
            </EmptyState>
            <EmptyState title="Run them in the terminal and in CI" code="npx agentserver eval">
              The exit code is 1 when the mean score is below the threshold.
            </EmptyState>
          </>
        }
      />
    </>
  )
}
