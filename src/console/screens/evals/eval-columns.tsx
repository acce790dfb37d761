import type { EvalSummary } from '../../../contract/endpoints/project/evals.ts'
import { Link } from '../../router/link.tsx'
import type { Column } from '../../ui/table/data-table.tsx'
import { countText } from '../../ui/time/format-time.ts'
import { Time } from '../../ui/time/time.tsx'
import { RunButton } from './run-button.tsx'
import { ScoreStrip } from './score-strip.tsx'
import { RunStatus, scoreText } from './score.tsx'
import { TargetLink } from './target-link.tsx'

export const EVAL_COLUMNS: readonly Column<EvalSummary>[] = [
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
            <RunStatus run={lastRun} />
          </Link>
          <span className="text-dim">
            <Time at={lastRun.startedAt} />
          </span>
        </span>
      ),
  },
  { name: 'Actions', width: '5rem', quiet: true, cell: ({ id }) => <RunButton evalId={id} size="small" /> },
]
