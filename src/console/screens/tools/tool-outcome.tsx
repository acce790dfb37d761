import { JsonView } from '../../json/json-view.tsx'
import { Link } from '../../router/link.tsx'
import { Button, CopyButton } from '../../ui/controls/button.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { Duration, Time } from '../../ui/time/time.tsx'
import type { ToolRun, ToolRunner } from './use-tool-run.ts'

export interface ToolOutcomeProps {
  readonly runner: ToolRunner
  readonly run: (input: unknown, approve?: boolean) => void
  readonly shown: ToolRun | undefined
}

/** The result of a run, or its approval prompt. */
export function ToolOutcome({ runner: { since, approval, stop }, run, shown }: ToolOutcomeProps) {
  return (
    <section aria-label="Result" className="flex min-w-0 flex-col gap-2">
      <h2 className="font-semibold">Result</h2>
      {since !== undefined ? (
        <p role="status" className="flex gap-2">
          <StatusBadge status="running" /> <Duration since={since} />
        </p>
      ) : approval ? (
        <div role="alert" className="rounded-md border border-suspended bg-warning-panel p-3">
          <p className="break-words font-medium">{approval.message}</p>
          <p className="pb-2 text-sm">Approval applies to this run only, with the input as sent.</p>
          <div className="flex gap-2">
            <Button kind="primary" onClick={() => run(approval.input, true)}>
              Approve and run
            </Button>
            <Button onClick={stop}>Cancel</Button>
          </div>
        </div>
      ) : shown ? (
        <Finished run={shown} />
      ) : (
        <p className="text-dim">No result yet</p>
      )}
    </section>
  )
}

function Finished({ run }: { readonly run: ToolRun }) {
  const { status, durationMs, at, traceId, error, result, isTruncated } = run
  return (
    <div role="status" className="flex min-w-0 flex-col gap-2">
      <p className="flex flex-wrap items-center gap-x-3">
        <StatusBadge status={status} />
        <Duration ms={durationMs} />
        <span className="text-dim">
          <Time at={at} />
        </span>
        {traceId !== undefined && (
          <>
            <Link to={`traces/${traceId}`}>Request</Link>
            <Link to={`logs?traceId=${traceId}`}>Logs</Link>
          </>
        )}
      </p>
      {error && (
        <div>
          <p className="whitespace-pre-wrap break-words font-mono text-sm text-error">
            {error.status > 0 && `${error.status}: `}
            {error.message}
          </p>
          {error.requestId !== undefined && (
            <p className="flex items-center gap-1 text-sm text-dim">
              Request id: {error.requestId} <CopyButton text={error.requestId} label="Copy request id" />
            </p>
          )}
        </div>
      )}
      {isTruncated && <p className="text-dim">The result was too large to be stored.</p>}
      {status === 'completed' && !isTruncated && <JsonView value={result} label="Result" open={3} />}
    </div>
  )
}
