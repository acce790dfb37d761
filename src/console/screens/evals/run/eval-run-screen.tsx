import { useMemo } from 'react'
import type { EvalRun } from '../../../../contract/endpoints/project/evals.ts'
import { ApiError } from '../../../../client/api-error.ts'
import { errorMessage } from '../../../api/request-failure.ts'
import { useAction } from '../../../api/use-endpoint.ts'
import { FilterBar } from '../../../filters/filter-bar.tsx'
import { useChanges } from '../../../live/use-changes.ts'
import { Link } from '../../../router/link.tsx'
import type { ScreenProps } from '../../../router/route.ts'
import { useUrlState } from '../../../router/use-url-state.ts'
import { useServices } from '../../../services/services-context.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { Segmented } from '../../../ui/controls/segmented.tsx'
import { PageHeader } from '../../../ui/layout/page-header.tsx'
import { WithPanel } from '../../../ui/layout/with-panel.tsx'
import { Pending } from '../../../ui/state/pending.tsx'
import { EmptyState } from '../../../ui/state/states.tsx'
import { ListView } from '../../../ui/table/list-view.tsx'
import { CASE_COLUMNS, COMPARED_COLUMNS } from './case-columns.tsx'
import { CasePanel } from './case-panel.tsx'
import { comparedCases } from './compared-cases.ts'
import type { ComparedCase } from './compared-cases.ts'
import { EvalProblem } from '../eval-problem.tsx'
import { NO_RUN, OtherRunSelect, useOtherRuns } from './other-run-select.tsx'
import { RunButton } from '../run-button.tsx'
import { RunFacts } from './run-facts.tsx'
import { RunStatus } from '../score.tsx'
import { useEvalRun } from './use-eval-run.ts'

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

/** A run of an eval, live while it runs: its cases, beside those of another run. */
export function EvalRunScreen({ params: { id = '' } }: ScreenProps) {
  const { toasts } = useServices()
  const [state, set] = useUrlState(STATE)
  const { data, error, refetch } = useEvalRun(id)
  const { others, previous } = useOtherRuns(data?.run)
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
        aside={<RunStatus run={run} />}
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
            <RunButton evalId={run.evalId} />
          )
        }
      />
      <EvalProblem problem={run.error} />
      <RunFacts run={run} cases={cases} />
      <FilterBar>
        <Segmented
          label="Cases"
          value={state.show as 'all'}
          options={SHOWN}
          onChange={(show) => set({ show })}
        />
        <OtherRunSelect others={others} chosen={otherId} choose={(next) => set({ with: next })} />
        {other && <Summary rows={rows} />}
      </FilterBar>
      {error && <Pending error={error} retry={refetch} />}
      <WithPanel
        panel={chosen && <CasePanel key={chosen.now.id} row={chosen} close={() => set({ case: '' })} />}
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
