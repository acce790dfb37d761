import { useId, useState } from 'react'
import type { ExecutionDetail } from '../../../contract/execution.ts'
import { messageOf } from '../../api/request-error.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { readExecutionFile } from './data/execution-file.ts'
import { ExecutionView } from './execution-view.tsx'

/** An execution from a file that was exported, as of another server: to be read, not to be acted on. */
export function ExecutionFileScreen() {
  const id = useId()
  const [record, setRecord] = useState<ExecutionDetail>()
  const [problem, setProblem] = useState<string>()
  const read = async (file: File | undefined) => {
    if (!file) return
    try {
      setRecord(readExecutionFile(await file.text()))
    } catch (error) {
      setProblem(messageOf(error))
    }
  }
  if (record) return <ExecutionView record={record} live={undefined} />
  return (
    <>
      <PageHeader title="Open an exported execution" />
      <div
        className="flex flex-1 flex-col items-start gap-3 p-4"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault()
          void read(event.dataTransfer.files[0])
        }}
      >
        <label htmlFor={id} className="text-dim">
          Choose a file, or drop it here. It stays in this page, and nothing in it is run.
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
      </div>
    </>
  )
}
