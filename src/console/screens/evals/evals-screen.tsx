import type { EvalSummary } from '../../../contract/endpoints/project/evals.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { usePolling } from '../../api/use-polling.ts'
import { useChanges } from '../../live/use-changes.ts'
import { useServices } from '../../services/services-context.tsx'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { EmptyState } from '../../ui/state/states.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { EVAL_COLUMNS } from './eval-columns.tsx'
import { EvalProblem } from './eval-problem.tsx'
import { EXAMPLE_CASE } from './example-case.ts'

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
              open an execution that went well and choose <strong>Keep as case</strong>.
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
