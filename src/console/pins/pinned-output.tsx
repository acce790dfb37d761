import type { ExecutionDetail } from '../../contract/endpoints/execution.ts'
import type { Pin } from '../../contract/endpoints/project/pins.ts'
import { useEndpoint } from '../api/use-endpoint.ts'
import { JsonDiffView } from '../json/json-diff-view.tsx'
import { JsonView } from '../json/json-view.tsx'
import { ErrorView } from '../ui/state/error-view.tsx'

/** The outcome of a pin's last replay: why it failed, or its output beside that of the completed run before. */
export function PinnedOutput({ pin }: { readonly pin: Pin }) {
  const { status, problem, error, stepId, replayExecutionId, comparedExecutionId } = pin
  const isDone = status === 'completed'
  const now = useOutput(isDone ? replayExecutionId : undefined, stepId)
  const before = useOutput(isDone ? comparedExecutionId : undefined, stepId)
  if (problem !== undefined) return <p className="pt-1 text-error">{problem}</p>
  if (error) return <div className="pt-1">{<ErrorView error={error} />}</div>
  if (!isDone || !now) return null
  return (
    <div className="pt-1">
      {before ? (
        <JsonDiffView
          label={`Changes in the output of ${stepId}`}
          before={before.output}
          after={now.output}
          same={`The output of ${stepId} is the same as before`}
        />
      ) : (
        <JsonView label={`Output of ${stepId}`} value={now.output} />
      )}
    </div>
  )
}

/** The output of a step in an execution, or that of the workflow when it has none. */
function useOutput(executionId: string | undefined, stepId: string): { output: unknown } | undefined {
  const { data } = useEndpoint(
    'observeExecution',
    { params: { executionId: executionId ?? '' }, quiet: true },
    { enabled: executionId !== undefined },
  )
  return executionId === undefined || !data ? undefined : { output: outputOf(data, stepId) }
}

function outputOf({ steps, output }: ExecutionDetail, stepId: string): unknown {
  return steps.find((step) => step.stepId === stepId)?.output ?? output
}
