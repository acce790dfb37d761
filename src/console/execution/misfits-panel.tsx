import { useState } from 'react'
import type { ExecutionDetail } from '../../contract/endpoints/execution.ts'
import type { Misfit } from '../../contract/event.ts'
import { useKeys } from '../keys/use-keys.ts'
import { Button } from '../ui/controls/button.tsx'
import { FormDialog } from '../ui/dialog/dialog.tsx'
import { useResume } from './use-resume.ts'

interface MisfitsPanelProps {
  readonly record: ExecutionDetail
  readonly misfits: readonly Misfit[]
  readonly refetch: () => void
}

/** Where the record of an execution does not fit the code, and the ways out. */
export function MisfitsPanel({ record, misfits, refetch }: MisfitsPanelProps) {
  const [isAccepting, setAccepting] = useState(false)
  const { resume, isPending } = useResume(record, refetch)
  const look = () => resume({})
  useKeys([{ keys: 'mod+Enter', label: 'Resume', group: 'Run', run: look }])
  return (
    <div className="col-span-full flex min-w-0 flex-col gap-2">
      <ul className="list-disc pl-5">
        {misfits.map(({ stepId, reason }) => (
          <li key={stepId}>
            <span className="font-mono text-sm">{stepId}</span>: <bdi>{reason}</bdi>
          </li>
        ))}
      </ul>
      <div className="text-sm text-dim">
        <p>Nothing has run. The ways out:</p>
        <ul className="list-disc pl-5">
          <li>
            Put the id back or name it with <code>was</code>: it goes on by itself after a reload.
          </li>
          <li>Accept the changes: it runs on with the code as it is.</li>
          <li>Replay it from a step, or cancel it.</li>
        </ul>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" onClick={look} disabled={isPending} keys="Control+Enter">
          Resume
        </Button>
        <Button onClick={() => setAccepting(true)} disabled={isPending}>
          Accept changes
        </Button>
      </div>
      {isAccepting && (
        <FormDialog
          title={`Accept the changes for ${record.workflowName}?`}
          note="It runs on with the code as it is, until it ends. Steps whose ids are not in its record run, also if they have run under another id; recorded steps that are gone are ignored."
          verb="Accept changes"
          danger
          submit={() => {
            resume({ options: { acceptChanges: true } })
            setAccepting(false)
          }}
          close={() => setAccepting(false)}
        />
      )}
    </div>
  )
}
