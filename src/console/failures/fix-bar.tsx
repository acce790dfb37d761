import { useEffect, useEffectEvent, useState } from 'react'
import type { Failure } from '../../contract/endpoints/failures.ts'
import { ApiError } from '../../client/api-error.ts'
import { errorMessage } from '../api/request-failure.ts'
import { useServerStatus } from '../live/config-status.ts'
import { Link } from '../router/link.tsx'
import { useServices } from '../services/services-context.tsx'
import { Button, CloseButton } from '../ui/controls/button.tsx'
import { oneLine } from '../ui/escape-text.ts'
import { StatusBadge } from '../ui/state/status-badge.tsx'
import { failurePlace, failureText } from './failure-text.tsx'

const OPEN = { query: { open: 'true', limit: '50' } } as const
const AUTO = 'agentserver.replay-on-save'

/** The replay of the newest execution of a failure. */
type Trial =
  | { readonly status: 'running' }
  | { readonly status: 'completed' | 'suspended' | 'cancelled'; readonly executionId: string }
  | { readonly status: 'error'; readonly message: string }

/**
 * After a save of a file in which executions have failed: offers to replay the newest one of each failure with the new
 * code, or does so at once, and shows whether it completes.
 */
export function FixBar() {
  const { failures, clear } = useTouchedFailures()
  const { trials, run, reset } = useTrials()
  const [isAuto, setAuto] = useState(() => localStorage.getItem(AUTO) === 'on')
  const changeAuto = (on: boolean) => {
    localStorage.setItem(AUTO, on ? 'on' : 'off')
    setAuto(on)
    if (on) for (const failure of failures) if (!trials.has(failure.id)) run(failure)
  }
  const begin = useEffectEvent(() => {
    reset()
    if (isAuto) for (const failure of failures) run(failure)
  })
  useEffect(() => begin(), [failures])
  if (failures.length === 0) return null
  return (
    <section
      aria-label="Failures in saved files"
      className="flex gap-3 border-b border-line bg-panel px-4 py-1.5"
    >
      <ul className="min-w-0 flex-1">
        {failures.map((failure) => (
          <TouchedFailure
            key={failure.id}
            failure={failure}
            trial={trials.get(failure.id)}
            run={() => run(failure)}
          />
        ))}
      </ul>
      <label className="flex shrink-0 items-center gap-1.5 self-start text-sm text-dim">
        <input type="checkbox" checked={isAuto} onChange={(event) => changeAuto(event.target.checked)} />
        On every save
      </label>
      <CloseButton label="Hide" onClick={clear} />
    </section>
  )
}

interface TouchedFailureProps {
  readonly failure: Failure
  readonly trial: Trial | undefined
  readonly run: () => void
}

function TouchedFailure({ failure, trial, run }: TouchedFailureProps) {
  const { error, count } = failure
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-0.5">
      <span role="status">
        {trial ? <StatusBadge status={trial.status} /> : <StatusBadge status="error" text="Failed before" />}
      </span>
      <span className="min-w-0 text-sm [overflow-wrap:anywhere]">
        <bdi>{failurePlace(failure)}</bdi>: <bdi>{failureText(failure)}</bdi>{' '}
        <span className="text-dim">{error.location?.file} was saved</span>
      </span>
      {trial?.status === 'error' && trial.message !== error.message && (
        <span className="text-sm text-error [overflow-wrap:anywhere]">
          now <bdi>{oneLine(trial.message, 200)}</bdi>
        </span>
      )}
      {trial && 'executionId' in trial ? (
        <Link
          to={`executions/${encodeURIComponent(trial.executionId)}?tab=compare`}
          className="text-sm text-accent hover:underline"
        >
          Compare with the failed one
        </Link>
      ) : (
        <Button size="small" onClick={run} disabled={trial?.status === 'running'}>
          Replay with the new code
        </Button>
      )}
      {trial?.status === 'completed' && count > 1 && (
        <Link to="inbox?tab=failed" className="text-sm text-accent hover:underline">
          Replay the others
        </Link>
      )}
    </li>
  )
}

/** The open failures at lines of files that the newest load has changed. Loads before this page was opened do not count. */
function useTouchedFailures(): { readonly failures: readonly Failure[]; readonly clear: () => void } {
  const { api } = useServices()
  const [failures, setFailures] = useState<readonly Failure[]>([])
  const { data } = useServerStatus()
  const generation = data?.generation.number
  const [seen, setSeen] = useState<number>()
  if (seen === undefined && generation !== undefined) setSeen(generation)
  const look = useEffectEvent(async (files: readonly string[]) => {
    const open = await api.call('listFailures', { ...OPEN, quiet: true })
    setFailures(open.filter(({ error: { location } }) => location && files.includes(location.file)))
  })
  useEffect(() => {
    if (seen === undefined || generation === undefined || generation === seen) return
    setSeen(generation)
    // without an answer there is nothing to offer; the next save looks again
    look(data?.generation.files ?? []).catch(() => setFailures([]))
  }, [data, generation, seen])
  return { failures, clear: () => setFailures([]) }
}

function useTrials() {
  const { api } = useServices()
  const [trials, setTrials] = useState<ReadonlyMap<string, Trial>>(new Map())
  const set = (id: string, trial: Trial) => setTrials((old) => new Map(old).set(id, trial))
  const run = async ({ id, workflowId, lastExecutionId, error: { stepId } }: Failure) => {
    if (stepId === undefined) return
    set(id, { status: 'running' })
    try {
      const params = { id: workflowId, executionId: lastExecutionId }
      const { executionId, status } = await api.call('replayExecution', { params, body: { stepId } })
      set(id, { status: status as 'completed', executionId })
    } catch (error) {
      const message = error instanceof ApiError ? error.message : errorMessage(error)
      set(id, { status: 'error', message })
    }
  }
  return { trials, run: (failure: Failure) => void run(failure), reset: () => setTrials(new Map()) }
}
