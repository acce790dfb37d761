import type { EvalRun, EvalCase } from '../../../contract/endpoints/project/evals.ts'
import { formatCost } from '../../../contract/usage/cost.ts'
import type { Column } from '../../ui/table/data-table.tsx'
import { countText, durationBetween } from '../../ui/time/format-time.ts'
import { Duration, Time } from '../../ui/time/time.tsx'
import { Change, EvalRunBadge, scoreText } from './score.tsx'
import type { CaseTarget } from '../../../contract/evals/case.ts'
import { Link } from '../../router/link.tsx'
import type { LoadFailure } from '../../../contract/load-failure.ts'
import { FailureBar } from '../../shell/failure-bar.tsx'
import { useQuery } from '@tanstack/react-query'
import { useServices } from '../../services/services-context.tsx'
import { errorMessage } from '../../api/request-failure.ts'
import { useAction } from '../../api/use-endpoint.ts'
import { Button } from '../../ui/controls/button.tsx'

/** An eval run, with the score of the one before it. */
interface EvalRunRow {
  readonly run: EvalRun
  readonly before: number | undefined
}

export const EVAL_RUN_COLUMNS: readonly Column<EvalRunRow>[] = [
  { name: 'Started', width: 'minmax(6rem, 1fr)', cell: ({ run }) => <Time at={run.startedAt} /> },
  { name: 'Status', width: 'minmax(8rem, 1fr)', cell: ({ run }) => <EvalRunBadge run={run} /> },
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
  { name: 'Cost', width: '6rem', align: 'right', cell: ({ run }) => formatCost(run.costUsd) },
  {
    name: 'Duration',
    width: '6rem',
    align: 'right',
    cell: ({ run: { startedAt, endedAt } }) => (
      <Duration since={startedAt} ms={durationBetween(startedAt, endedAt)} />
    ),
  },
  {
    name: 'Commit',
    width: '6rem',
    cell: ({ run: { commit } }) =>
      commit !== null && <code className="font-mono text-sm">{commit.slice(0, 8)}</code>,
  },
]

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

/** An eval run, with the cases that have ended. */
export interface FollowedEvalRun {
  readonly run: EvalRun
  readonly cases: readonly EvalCase[]
}

/** The cache key of an eval run. */
export function evalRunKey(runId: string): readonly unknown[] {
  return ['evalRun', runId]
}

/** How often new cases are shown. */
const SHOW_MS = 100

/** An eval run that is read as a stream: its cases appear as they end. One that has ended is read once. */
export function useEvalRun(runId: string) {
  const { api, queries } = useServices()
  const queryKey = evalRunKey(runId)
  return useQuery<FollowedEvalRun>({
    queryKey,
    enabled: runId !== '',
    staleTime: ({ state }) => (state.data && state.data.run.endedAt !== null ? Infinity : 0),
    queryFn: async ({ signal }) => {
      let run: EvalRun | undefined
      const cases: EvalCase[] = []
      let timer: ReturnType<typeof setTimeout> | undefined
      const show = () => {
        timer = undefined
        if (run) queries.setQueryData<FollowedEvalRun>(queryKey, { run, cases: [...cases] })
      }
      try {
        for await (const event of api.events('getEvalRun', { params: { runId }, signal })) {
          if (event.type === 'case-end') cases.push(event.case)
          else run = event.run
          timer ??= setTimeout(show, SHOW_MS)
        }
      } finally {
        clearTimeout(timer)
      }
      for (const key of ['listEvals', 'listEvalRuns']) void queries.invalidateQueries({ queryKey: [key] })
      if (!run) throw new Error('The stream of the run ended without it')
      return { run, cases }
    },
  })
}

interface EvalRunButtonProps {
  readonly evalId: string
  readonly size?: 'normal' | 'small'
}

/** Runs an eval with the code as saved, and opens the run. */
export function EvalRunButton({ evalId, size = 'normal' }: EvalRunButtonProps) {
  const { router, toasts, queries } = useServices()
  const { mutate, isPending } = useAction('runEval')
  const run = () =>
    mutate(
      { params: { id: evalId } },
      {
        onSuccess: (run) => {
          // its stream begins when the code is loaded
          queries.setQueryData<FollowedEvalRun>(evalRunKey(run.id), { run, cases: [] })
          void router.navigate(`evals/runs/${encodeURIComponent(run.id)}`)
        },
        onError: (error) => toasts.error(errorMessage(error)),
      },
    )
  return (
    <Button kind={size === 'normal' ? 'primary' : 'plain'} size={size} onClick={run} disabled={isPending}>
      {size === 'normal' ? 'Run with the code as saved' : 'Run'}
    </Button>
  )
}
