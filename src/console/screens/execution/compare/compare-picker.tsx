import { useState } from 'react'
import type { ExecutionDetail, ExecutionRecord } from '../../../../contract/endpoints/execution.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { exactTime } from '../../../ui/time/format-time.ts'
import { FIELD } from '../../../ui/controls/text-field.tsx'
import { statusText } from '../../../ui/state/status-badge.tsx'
import { useReplays } from '../parts/use-replays.ts'

export interface ComparePickerProps {
  readonly record: ExecutionDetail
  readonly chosen: string
  readonly choose: (id: string) => void
}

/** Selects the execution to compare with: the replayed one, replays, recent ones of the workflow, or any by its id. */
export function ComparePicker({ record, chosen, choose }: ComparePickerProps) {
  const { id, workflowId, forkedFrom } = record
  const { data = [] } = useEndpoint('observeExecutions', { query: { workflowId, limit: '50' } })
  const replays = useReplays(id, true)
  const [typed, setTyped] = useState('')
  const recent = data.filter((one) => one.id !== id)
  const known = new Set([...recent, ...replays].map((one) => one.id))
  return (
    <form
      aria-label="Other execution"
      className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line bg-panel px-4 py-1.5"
      onSubmit={(event) => {
        event.preventDefault()
        if (typed.trim() !== '') choose(typed.trim())
      }}
    >
      <label className="flex min-w-0 items-center gap-1.5 whitespace-nowrap text-sm text-dim">
        Compare with
        <select
          value={chosen}
          onChange={(event) => choose(event.target.value)}
          className={`${FIELD} max-w-96 text-base`}
        >
          <option value="">select</option>
          {chosen !== '' && !known.has(chosen) && chosen !== forkedFrom?.executionId && (
            <option>{chosen}</option>
          )}
          {forkedFrom && (
            <option value={forkedFrom.executionId}>replayed execution: {forkedFrom.executionId}</option>
          )}
          {replays.length > 0 && <Group label="Replays" executions={replays} />}
          {recent.length > 0 && <Group label={`Recent executions of ${workflowId}`} executions={recent} />}
        </select>
      </label>
      <input
        aria-label="Execution id"
        placeholder="or enter an id"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        spellCheck={false}
        autoComplete="off"
        className={`${FIELD} max-w-80 font-mono`}
      />
      <Button type="submit" size="small" disabled={typed.trim() === ''}>
        Compare
      </Button>
    </form>
  )
}

function Group({ label, executions }: { label: string; executions: readonly ExecutionRecord[] }) {
  return (
    <optgroup label={label}>
      {executions.map(({ id, status, createdAt }) => (
        <option key={id} value={id}>
          {`${exactTime(createdAt).slice(5, 19)}  ${statusText(status)}  …${id.slice(-8)}`}
        </option>
      ))}
    </optgroup>
  )
}
