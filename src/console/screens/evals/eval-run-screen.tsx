import { formatCost } from '../../../contract/usage/cost.ts'
import { useMemo, useId } from 'react'
import { ApiError } from '../../../client/api-error.ts'
import type { EvalRun } from '../../../contract/endpoints/project/evals.ts'
import { errorMessage } from '../../api/request-failure.ts'
import { useAction, useEndpoint } from '../../api/use-endpoint.ts'
import { FilterBar } from '../../filters/filter-bar.tsx'
import { useChanges } from '../../live/use-topic.ts'
import { Link } from '../../router/link.tsx'
import type { ScreenProps } from '../../router/route.ts'
import { useUrlState } from '../../router/use-url-state.ts'
import { useServices } from '../../services/services-context.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Segmented } from '../../ui/controls/segmented.tsx'
import { Select } from '../../ui/controls/select.tsx'
import { Detail } from '../../ui/layout/key-value.tsx'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { WithPanel } from '../../ui/layout/side-panel.tsx'
import { Pending, EmptyState } from '../../ui/state/states.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import type { Column } from '../../ui/table/data-table.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { countText, durationBetween, exactTime } from '../../ui/time/format-time.ts'
import { Duration, Time } from '../../ui/time/time.tsx'
import { EvalProblem, useEvalRun, EvalRunButton } from './eval-runs.tsx'
import type { FollowedEvalRun } from './eval-runs.tsx'
import { EvalRunBadge, scoreText, Change } from './score.tsx'
import { CasePanel, comparedCases, reasonOf } from './case-panel.tsx'
import type { ComparedCase } from './case-panel.tsx'

const RESULT: readonly Column<ComparedCase>[] = [
  {
    name: 'Case',
    width: 'minmax(11rem, 2fr)',
    cell: ({ now: { id } }) => (
      <span className="font-mono text-sm" title={id}>
        {id}
      </span>
    ),
  },
  {
    name: 'Score',
    width: '4rem',
    align: 'right',
    cell: ({ now: { score } }) => (
      <StatusBadge status={score === 1 ? 'completed' : 'error'} text={scoreText(score)} />
    ),
  },
]

const COMPARISON: readonly Column<ComparedCase>[] = [
  { name: 'Other', width: '3rem', align: 'right', cell: ({ before }) => before && scoreText(before.score) },
  {
    name: 'Change',
    width: '4rem',
    align: 'right',
    cell: ({ change }) => change !== undefined && <Change by={change} />,
  },
  { name: 'Output', width: '4.5rem', cell: (row) => <OutputChange {...row} /> },
]

const DETAILS: readonly Column<ComparedCase>[] = [
  {
    name: 'Reason',
    width: 'minmax(8rem, 2fr)',
    cell: ({ now }) => {
      const reason = reasonOf(now)
      return reason !== undefined && <span title={reason}>{reason}</span>
    },
  },
  { name: 'Time', width: '4rem', align: 'right', cell: ({ now }) => <Duration ms={now.durationMs} /> },
  { name: 'Cost', width: '4.5rem', align: 'right', cell: ({ now }) => formatCost(now.costUsd) },
]

/** The columns of the cases of an eval run, alone or beside another. */
const CASE_COLUMNS = [...RESULT, ...DETAILS]

const COMPARED_COLUMNS = [...RESULT, ...COMPARISON, ...DETAILS]

const STATE = { with: '', case: '', show: 'all' }
const SHOWN = [
  ['all', 'All'],
  ['below', 'Below 1'],
  ['changed', 'Changed'],
] as const
const IS_SHOWN: Readonly<Record<string, (row: ComparedCase) => boolean>> = {
  below: ({ now }) => now.score < 1,
  changed: ({ change, differs }) => differs || (change !== undefined && change !== 0),
}
const NO_CASES = [] as const

/** An eval run, live while it runs: its cases, beside those of another run. */
export function EvalRunScreen({ params: { id = '' } }: ScreenProps) {
  const { toasts } = useServices()
  const [state, set] = useUrlState(STATE)
  const { data, error, refetch } = useEvalRun(id)
  const { others, previous } = useOtherEvalRuns(data?.run)
  const otherId = state.with === '' ? (previous?.id ?? NO_RUN) : state.with
  const { data: other } = useEvalRun(otherId === NO_RUN ? '' : otherId)
  // after the server was away
  useChanges('config', () => error && refetch())
  const cancel = useAction('cancelEvalRun')
  const cases = data?.cases ?? NO_CASES
  const rows = useMemo(() => comparedCases(cases, other?.cases ?? NO_CASES), [cases, other])
  const shown = rows.filter(IS_SHOWN[state.show] ?? (() => true))
  const chosen = rows.find(({ now }) => now.id === state.case)
  if (!data)
    return (
      <>
        <PageHeader title="Run of an eval" />
        {error instanceof ApiError && error.status === 404 ? (
          <EmptyState title={`Run "${id}" not found`}>
            It may have been deleted by retention. <Link to="evals">Show all evals</Link>
          </EmptyState>
        ) : (
          <Pending error={error} retry={refetch} />
        )}
      </>
    )
  const { run } = data
  return (
    <>
      <PageHeader
        title={`Run of ${run.evalId}`}
        aside={<EvalRunBadge run={run} />}
        actions={
          run.status === 'running' ? (
            <Button
              kind="danger"
              disabled={cancel.isPending}
              onClick={() =>
                cancel.mutate(
                  { params: { runId: id } },
                  { onError: (problem) => toasts.error(errorMessage(problem)) },
                )
              }
            >
              Cancel
            </Button>
          ) : (
            <EvalRunButton evalId={run.evalId} />
          )
        }
      />
      <EvalProblem problem={run.error} />
      <EvalRunDetails run={run} cases={cases} />
      <FilterBar>
        <Segmented
          label="Cases"
          value={state.show as 'all'}
          options={SHOWN}
          onChange={(show) => set({ show })}
        />
        <OtherEvalRunSelect others={others} chosen={otherId} choose={(next) => set({ with: next })} />
        {other && <Summary rows={rows} />}
      </FilterBar>
      {error && <Pending error={error} retry={refetch} />}
      <WithPanel
        panel={
          chosen && (
            <CasePanel
              key={chosen.now.id}
              planned={chosen.now}
              result={chosen.now}
              before={chosen.before}
              close={() => set({ case: '' })}
            />
          )
        }
      >
        <ListView
          label="Cases"
          columns={other ? COMPARED_COLUMNS : CASE_COLUMNS}
          count={shown.length}
          row={(index) => shown[index]}
          rowKey={({ now }) => now.id}
          chosenKey={state.case}
          open={({ now }) => set({ case: now.id })}
          error={undefined}
          retry={refetch}
          noun="case"
          filtered={rows.length > 0}
          empty={<EmptyState title={emptyTitle(run)} />}
        />
      </WithPanel>
    </>
  )
}

function emptyTitle({ status, cases }: EvalRun): string {
  if (status !== 'running') return 'No case was run'
  return cases === null ? 'Loading the code as saved' : 'No case has ended yet'
}

function Summary({ rows }: { readonly rows: readonly ComparedCase[] }) {
  const count = (is: (row: ComparedCase) => boolean) => rows.filter(is).length
  const higher = count(({ change = 0 }) => change > 0)
  const lower = count(({ change = 0 }) => change < 0)
  const outputs = count(({ differs }) => differs)
  return (
    <span className="ml-auto text-sm text-dim">
      {higher} higher, {lower} lower, {outputs} {outputs === 1 ? 'output' : 'outputs'} changed
    </span>
  )
}

/** The score of an eval run and how far it is. */
function EvalRunDetails({ run, cases }: FollowedEvalRun) {
  const { evalId, threshold, startedAt, endedAt, commit, status } = run
  const total = run.cases ?? cases.length
  const ended = cases.length
  const score = ended === 0 ? run.score : cases.reduce((sum, one) => sum + one.score, 0) / ended
  return (
    <>
      <dl className="flex shrink-0 flex-wrap items-center gap-x-5 gap-y-1 border-b border-line px-4 py-1.5">
        <Detail name="Eval">
          <Link to={`evals/${encodeURIComponent(evalId)}`}>{evalId}</Link>
        </Detail>
        <Detail name="Score">
          {score !== null && <strong className="font-semibold">{scoreText(score)}</strong>}
        </Detail>
        <Detail name="Threshold">{threshold !== null && scoreText(threshold)}</Detail>
        <Detail name="Cases">
          {run.cases !== null &&
            (ended === total ? countText(total) : `${countText(ended)} of ${countText(total)}`)}
        </Detail>
        <Detail name="Below 1">{countText(cases.filter((one) => one.score < 1).length)}</Detail>
        <Detail name="Cost">{endedAt !== null && formatCost(run.costUsd)}</Detail>
        <Detail name="Started">
          <Time at={startedAt} />
        </Detail>
        <Detail name="Duration">
          <Duration since={startedAt} ms={durationBetween(startedAt, endedAt)} />
        </Detail>
        <Detail name="Commit">
          {commit !== null && <code className="font-mono text-sm">{commit.slice(0, 8)}</code>}
        </Detail>
      </dl>
      {status === 'running' && (
        <div
          role="progressbar"
          aria-label="Cases that have ended"
          aria-valuemin={0}
          aria-valuemax={total}
          aria-valuenow={ended}
          className="h-1 shrink-0 bg-line"
        >
          <div className="h-full bg-accent" style={{ width: `${(ended / Math.max(1, total)) * 100}%` }} />
        </div>
      )}
    </>
  )
}

/** Runs that can be chosen. */
const MAX_RUNS = '100'

const NO_RUN = 'none'

interface OtherEvalRunSelectProps {
  readonly others: readonly EvalRun[]
  readonly chosen: string
  readonly choose: (runId: string) => void
}

/** Selects the run to compare with. */
function OtherEvalRunSelect({ others, chosen, choose }: OtherEvalRunSelectProps) {
  const id = useId()
  return (
    <span className="flex min-w-0 items-center gap-1.5 text-sm text-dim">
      <label htmlFor={id} className="whitespace-nowrap">
        Compare with
      </label>
      <Select
        id={id}
        value={chosen}
        options={[
          { value: NO_RUN, text: 'no run' },
          ...others.map((run) => ({ value: run.id, text: nameOf(run) })),
        ]}
        onChange={choose}
        className="max-w-72"
      />
    </span>
  )
}

function nameOf({ startedAt, score, commit }: EvalRun): string {
  return [
    exactTime(startedAt).slice(0, 16),
    score === null ? '' : scoreText(score),
    commit?.slice(0, 8) ?? '',
  ]
    .join('  ')
    .trim()
}

/** The other runs of the eval with results, newest first, and the one that ran before this one. */
function useOtherEvalRuns(run: EvalRun | undefined) {
  const { data = [] } = useEndpoint(
    'listEvalRuns',
    { params: { id: run?.evalId ?? '' }, query: { limit: MAX_RUNS } },
    { enabled: run !== undefined },
  )
  const others = data.filter(({ id, endedCases }) => id !== run?.id && endedCases > 0)
  return { others, previous: others.find(({ startedAt }) => run !== undefined && startedAt < run.startedAt) }
}

function OutputChange({ before, differs }: ComparedCase) {
  if (differs) return 'changed'
  return <span className="text-dim">{before === undefined ? 'new case' : 'same'}</span>
}
