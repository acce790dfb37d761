import { useId, useState } from 'react'
import type { ExecutionDetail } from '../../../contract/endpoints/execution.ts'
import { errorMessage } from '../../api/request-failure.ts'
import { Button } from '../../ui/controls/button.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { readExecutionFile } from './execution-file.ts'

/** Selects a file with executions, and one of them. */
export function FileChooser({ choose }: { readonly choose: (record: ExecutionDetail) => void }) {
  const id = useId()
  const [several, setSeveral] = useState<readonly ExecutionDetail[]>([])
  const [problem, setProblem] = useState<string>()
  const read = async (file: File | undefined) => {
    if (!file) return
    try {
      const found = readExecutionFile(await file.text())
      setProblem(undefined)
      setSeveral(found)
      const [only] = found
      if (only && found.length === 1) choose(only)
    } catch (error) {
      setSeveral([])
      setProblem(errorMessage(error))
    }
  }
  return (
    <div
      className="flex flex-1 flex-col items-start gap-3 p-4"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        void read(event.dataTransfer.files[0])
      }}
    >
      <label htmlFor={id} className="text-dim">
        Choose a file or drop it here. It is read in this page only; nothing in it is executed.
      </label>
      <input
        id={id}
        type="file"
        accept=".json,application/json"
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        onChange={(event) => void read(event.target.files?.[0])}
        className="file:mr-3 file:rounded-sm file:border file:border-line-strong file:bg-raised file:px-3 file:py-1"
      />
      {problem !== undefined && (
        <p id={`${id}-problem`} role="alert" className="text-error">
          {problem}
        </p>
      )}
      {several.length > 1 && (
        <ul aria-label="Runs in the file" className="flex flex-col gap-1">
          {several.map((one) => (
            <li key={one.id} className="flex items-center gap-3">
              <StatusBadge status={one.status} />
              <Button size="small" onClick={() => choose(one)}>
                {`${one.workflowId} ${one.id}`}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
