import { useId } from 'react'
import type { ExecutionDetail } from '../../contract/endpoints/execution.ts'
import type { Pin } from '../../contract/endpoints/project/pins.ts'
import { useEndpoint } from '../api/use-endpoint.ts'
import { JsonDiffView } from '../json/json-diff-view.tsx'
import { JsonView } from '../json/json-view.tsx'
import { Link } from '../router/link.tsx'
import { ErrorView } from '../ui/state/error-view.tsx'
import { statusText, StatusBadge } from '../ui/state/status-badge.tsx'
import { usePins } from './pinned-bar.tsx'

/** The last replay of a pinned execution, in place: its status, its error or what changed in its output. */
export function PinPanel({ executionId }: { readonly executionId: string }) {
  const id = useId()
  const pin = usePins().pins.find((one) => one.executionId === executionId)
  if (!pin) return null
  const { status, stepId, replayExecutionId } = pin
  return (
    <section
      aria-labelledby={id}
      tabIndex={0}
      className={`max-h-[40%] shrink-0 overflow-auto border-b border-l-4 border-b-line px-4 py-2 ${TONES[status] ?? 'border-l-line-strong'}`}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 id={id} className="font-semibold">
          Pinned
        </h2>
        <span role="status">
          <StatusBadge status={status} text={statusWords(pin)} />
        </span>
        <span className="text-sm text-dim">
          step <bdi>{stepId}</bdi> runs again on every save
        </span>
        {replayExecutionId !== undefined && (
          <Link to={`executions/${encodeURIComponent(replayExecutionId)}`}>Open the replay</Link>
        )}
      </div>
      <PinnedOutput pin={pin} />
    </section>
  )
}

const TONES: Readonly<Partial<Record<Pin['status'], string>>> = {
  completed: 'border-l-ok',
  error: 'border-l-error',
  gone: 'border-l-error',
  running: 'border-l-running',
  suspended: 'border-l-suspended',
}

function statusWords({ status }: Pin): string {
  if (status === 'idle') return 'waiting for a save'
  if (status === 'gone') return 'cannot run again'
  return `last replay ${statusText(status)}`
}

/** The outcome of a pin's last replay: why it failed, or its output beside that of the completed run before. */
function PinnedOutput({ pin }: { readonly pin: Pin }) {
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
