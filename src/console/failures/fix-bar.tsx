import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { Failure } from '../../contract/endpoints/failures.ts'
import { failingLine } from '../../contract/failing-line.ts'
import { mapConcurrently } from '../api/map-concurrently.ts'
import { errorMessage } from '../api/request-failure.ts'
import { useServerStatus } from '../live/config-status.ts'
import { isUnseen } from '../live/seen-failures.ts'
import { Link } from '../router/link.tsx'
import { useServices } from '../services/services-context.tsx'
import { Button, CloseButton } from '../ui/controls/button.tsx'
import { oneLine } from '../ui/escape-text.ts'
import { StatusBadge } from '../ui/state/status-badge.tsx'
import { ReplayAllDialog } from './replay-all-dialog.tsx'
import { failurePlace, failureText } from './failure-text.tsx'

const OPEN = { query: { open: 'true', limit: '50' } } as const
const AUTO = 'agentserver.replay-on-save'
/** The time of the load after which a page has replayed last. */
const REPLAYED = 'agentserver.replayed-load'

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
  const { failures, loadedAt, clear } = useTouchedFailures()
  const { trials, run } = useTrials(failures)
  const [isAuto, setAuto] = useState(() => localStorage.getItem(AUTO) === 'on')
  const [replayed, setReplayed] = useState<Failure>()
  const changeAuto = (on: boolean) => {
    localStorage.setItem(AUTO, on ? 'on' : 'off')
    setAuto(on)
    if (on) run(failures.filter(({ id }) => !trials.has(id)))
  }
  const begin = useEffectEvent(() => {
    if (isAuto && failures.length > 0 && isFirstPage(loadedAt)) run(failures)
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
            run={() => run([failure])}
            replayOthers={() => setReplayed(failure)}
          />
        ))}
      </ul>
      <label className="flex shrink-0 items-center gap-1.5 self-start text-sm text-dim">
        <input type="checkbox" checked={isAuto} onChange={(event) => changeAuto(event.target.checked)} />
        On every save
      </label>
      <CloseButton label="Hide" onClick={clear} />
      {replayed && <ReplayAllDialog failure={replayed} close={() => setReplayed(undefined)} />}
    </section>
  )
}

/** Of several pages of this browser one replays after a load: it is visible, and the first to say so. */
function isFirstPage(loadedAt: string): boolean {
  if (document.visibilityState !== 'visible' || localStorage.getItem(REPLAYED) === loadedAt) return false
  localStorage.setItem(REPLAYED, loadedAt)
  return true
}

interface TouchedFailureProps {
  readonly failure: Failure
  readonly trial: Trial | undefined
  readonly run: () => void
  readonly replayOthers: () => void
}

function TouchedFailure({ failure, trial, run, replayOthers }: TouchedFailureProps) {
  const { error, count } = failure
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-0.5">
      <span role="status">
        {trial ? <StatusBadge status={trial.status} /> : <StatusBadge status="error" text="Failed before" />}
      </span>
      <span className="min-w-0 text-sm [overflow-wrap:anywhere]">
        <bdi>{failurePlace(failure)}</bdi>: <bdi>{failureText(failure)}</bdi>{' '}
        <span className="text-dim">{failingLine(error)?.file} was saved</span>
      </span>
      {trial?.status === 'error' && trial.message !== error.message && (
        <span className="text-sm text-error [overflow-wrap:anywhere]">
          now <bdi>{oneLine(trial.message, 200)}</bdi>
        </span>
      )}
      {trial && 'executionId' in trial ? (
        <Link
          to={`executions/${encodeURIComponent(trial.executionId)}?view=compare`}
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
        <Button size="small" onClick={replayOthers}>
          Replay the others
        </Button>
      )}
    </li>
  )
}

interface TouchedFailures {
  readonly failures: readonly Failure[]
  /** When the code was loaded that may mend them. */
  readonly loadedAt: string
  readonly clear: () => void
}

/**
 * The failures of the inbox at lines of files that the newest load has changed. Loads before this page was opened do not
 * count.
 */
function useTouchedFailures(): TouchedFailures {
  const { api, seenFailures } = useServices()
  const [{ failures, loadedAt }, setTouched] = useState<Omit<TouchedFailures, 'clear'>>(NONE)
  const { data } = useServerStatus()
  const load = data?.generation
  const [seen, setSeen] = useState<number>()
  const newest = useRef(0)
  if (seen === undefined && load !== undefined) setSeen(load.number)
  const look = useEffectEvent(async ({ number, files, at }: NonNullable<typeof load>) => {
    newest.current = number
    const open = await api.call('listFailures', { ...OPEN, quiet: true })
    const touched = open.filter(
      ({ id, lastAt, error }) =>
        error.stepId !== undefined &&
        files.some((file) => file === failingLine(error)?.file) &&
        isUnseen(seenFailures.seen(), id, Date.parse(lastAt)),
    )
    if (newest.current === number) setTouched({ failures: touched, loadedAt: at })
  })
  useEffect(() => {
    if (seen === undefined || load === undefined || load.number === seen) return
    setSeen(load.number)
    // without an answer there is nothing to offer; the next save looks again
    look(load).catch(() => setTouched(NONE))
  }, [load, seen])
  return { failures, loadedAt, clear: () => setTouched(NONE) }
}

/** Replays of the newest executions of these failures. */
function useTrials(failures: readonly Failure[]) {
  const { api } = useServices()
  const [{ of, trials }, setTrials] = useState({ of: failures, trials: new Map<string, Trial>() })
  const isCurrent = of === failures
  const set = (id: string, trial: Trial) =>
    setTrials((old) => {
      if (old.of === failures) return { of: failures, trials: new Map(old.trials).set(id, trial) }
      // the result of a replay that began before another save
      return trial.status === 'running' ? { of: failures, trials: new Map([[id, trial]]) } : old
    })
  const runOne = async ({ id, workflowId, lastExecutionId, error: { stepId = '' } }: Failure) => {
    set(id, { status: 'running' })
    try {
      const params = { id: workflowId, executionId: lastExecutionId }
      const { executionId, status } = await api.call('replayExecution', { params, body: { stepId } })
      set(id, { status: status as 'completed', executionId })
    } catch (error) {
      set(id, { status: 'error', message: errorMessage(error) })
    }
  }
  return {
    trials: isCurrent ? trials : NO_TRIALS,
    run: (some: readonly Failure[]) => void mapConcurrently(some, runOne),
  }
}

const NONE = { failures: [], loadedAt: '' }
const NO_TRIALS: ReadonlyMap<string, Trial> = new Map()
