import type { Failure } from '../../contract/endpoints/failures.ts'
import { useServerStatus } from '../live/config-status.ts'
import { Link } from '../router/link.tsx'
import { Button } from '../ui/controls/button.tsx'
import { CancelButton, Dialog } from '../ui/dialog/dialog.tsx'
import { countText } from '../ui/time/format-time.ts'
import { failurePlace, failureText } from './failure-text.tsx'
import { MAX_REPLAYED, useReplayAll } from './replay-all.ts'
import type { ReplayProgress } from './replay-all.ts'

interface ReplayAllDialogProps {
  readonly failure: Failure
  readonly close: () => void
}

/** Replays the executions of a failure with the code in service: the newest to try, or all. Shows how many have ended. */
export function ReplayAllDialog({ failure, close }: ReplayAllDialogProps) {
  const { progress, start, stop } = useReplayAll(failure)
  const { data } = useServerStatus()
  const isRunning = progress?.state === 'running' || progress?.state === 'stopping'
  const generation = data ? ` (generation ${data.generation.number})` : ''
  return (
    <Dialog title="Replay a failure" close={close}>
      <div className="flex w-[32rem] max-w-full flex-col gap-3">
        <p className="[overflow-wrap:anywhere]">
          <span className="text-error">{failureText(failure)}</span>{' '}
          <span className="text-dim">{failurePlace(failure)}</span>
        </p>
        <p className="text-dim">
          Each runs again from the step that failed, with the code in service{generation}. Those that a replay
          has completed are left out, and those beyond the newest {countText(MAX_REPLAYED)}.
        </p>
        {progress && <Progress progress={progress} failure={failure} />}
        <div className="flex flex-wrap justify-end gap-2">
          {isRunning ? (
            <Button onClick={stop} disabled={progress.state === 'stopping'}>
              Stop
            </Button>
          ) : (
            <>
              <CancelButton>Close</CancelButton>
              <Button onClick={() => start(1)}>Try the newest</Button>
              <Button kind="primary" onClick={() => start()}>
                Replay all
              </Button>
            </>
          )}
        </div>
      </div>
    </Dialog>
  )
}

const STATES = { running: 'Replaying', stopping: 'Stopping', stopped: 'Stopped', done: 'Replayed' } as const

function Progress({ progress, failure }: { readonly progress: ReplayProgress; readonly failure: Failure }) {
  const { total, completed, failed, other, state, problem } = progress
  const ended = completed + failed + other
  const counts = [
    `${countText(completed)} completed`,
    ...(failed > 0 ? [`${countText(failed)} failed`] : []),
    ...(other > 0 ? [`${countText(other)} suspended or cancelled`] : []),
  ]
  return (
    <div className="flex flex-col gap-1">
      <progress aria-label="Replayed runs" className="w-full" value={ended} max={total ?? 1} />
      <p role="status">
        {STATES[state]} {countText(ended)} of {total === undefined ? '…' : countText(total)}:{' '}
        {counts.join(', ')}
      </p>
      {problem !== undefined && <p className="text-error">{problem}</p>}
      {ended > 0 && (
        <Link
          to={`executions?failure=${encodeURIComponent(failure.id)}`}
          className="text-accent hover:underline"
        >
          Show the runs
        </Link>
      )}
    </div>
  )
}
