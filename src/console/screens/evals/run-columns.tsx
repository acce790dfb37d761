import type { EvalRun } from '../../../contract/endpoints/project/evals.ts'
import { formatCost } from '../../../contract/usage/cost.ts'
import type { Column } from '../../ui/table/data-table.tsx'
import { countText } from '../../ui/time/format-time.ts'
import { Duration, Time } from '../../ui/time/time.tsx'
import { Change, RunStatus, scoreText } from './score.tsx'
import type { CaseTarget } from '../../../contract/evals/case.ts'
import { Link } from '../../router/link.tsx'
import type { LoadFailure } from '../../../contract/load-failure.ts'
import { FailureBar } from '../../shell/failure-bar.tsx'

/** A run, with the score of the one before it. */
interface RunRow {
  readonly run: EvalRun
  readonly before: number | undefined
}

export const RUN_COLUMNS: readonly Column<RunRow>[] = [
  { name: 'Started', width: 'minmax(6rem, 1fr)', cell: ({ run }) => <Time at={run.startedAt} /> },
  { name: 'Status', width: 'minmax(8rem, 1fr)', cell: ({ run }) => <RunStatus run={run} /> },
  {
    name: 'Score',
    width: '5rem',
    align: 'right',
    cell: ({ run: { score } }) =>
      score !== null && <strong className="font-semibold">{scoreText(score)}</strong>,
  },
  {
    name: 'Change',
    width: '5rem',
    align: 'right',
    cell: ({ run: { score }, before }) =>
      score !== null && before !== undefined && <Change by={score - before} />,
  },
  {
    name: 'Cases',
    width: '7rem',
    align: 'right',
    cell: ({ run: { endedCases, cases } }) =>
      cases === null || cases === endedCases
        ? countText(endedCases)
        : `${countText(endedCases)} of ${countText(cases)}`,
  },
  { name: 'Below 1', width: '5rem', align: 'right', cell: ({ run }) => countText(run.failedCases) },
  { name: 'Cost', width: '6rem', align: 'right', cell: ({ run }) => costOf(run.costUsd) },
  {
    name: 'Duration',
    width: '6rem',
    align: 'right',
    cell: ({ run: { startedAt, endedAt } }) => (
      <Duration
        since={startedAt}
        ms={endedAt === null ? undefined : Date.parse(endedAt) - Date.parse(startedAt)}
      />
    ),
  },
  {
    name: 'Commit',
    width: '6rem',
    cell: ({ run: { commit } }) =>
      commit !== null && <code className="font-mono text-sm">{commit.slice(0, 8)}</code>,
  },
]

/** A cost; `unknown` when the price of a model is. */
export function costOf(usd: number | null): string {
  return usd === null ? 'unknown' : formatCost(usd)
}

/** What the cases run. */
export function TargetLink({ target }: { readonly target: CaseTarget | null }) {
  if (target === null) return <span className="text-dim">several</span>
  const [[kind, id] = ['', '']] = Object.entries(target)
  return (
    <Link
      to={`${kind}s/${encodeURIComponent(id)}`}
      title={id}
      className="inline-block max-w-full truncate align-bottom text-accent hover:underline"
    >
      {kind} {id}
    </Link>
  )
}

/** Why the evals could not be loaded from the code as saved, with the place. */
export function EvalProblem({ problem }: { readonly problem: LoadFailure | null | undefined }) {
  if (!problem) return null
  const { name, message, file, line, column, frame } = problem
  return (
    <FailureBar
      label="Evals error"
      title={`${name}: ${message}`}
      location={[file, line, column].filter((part) => part !== null).join(':')}
      text={frame ?? ''}
      note="the code as saved cannot run"
    />
  )
}
