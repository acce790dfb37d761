import { useId } from 'react'
import type { Pin } from '../../contract/endpoints/project/pins.ts'
import { Link } from '../router/link.tsx'
import { StatusBadge } from '../ui/state/status-badge.tsx'
import { PinnedOutput } from './pinned-output.tsx'
import { usePins } from './use-pins.ts'

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
          <Link to={`executions/${encodeURIComponent(replayExecutionId)}`}>Last replay</Link>
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
  if (status === 'gone') return 'can not run again'
  return status === 'error' ? 'failed' : status
}
