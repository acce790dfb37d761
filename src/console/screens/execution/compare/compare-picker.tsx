import { useId, useState } from 'react'
import type { ExecutionDetail, ExecutionRecord } from '../../../../contract/endpoints/execution.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { exactTime } from '../../../ui/time/format-time.ts'
import { Select } from '../../../ui/controls/select.tsx'
import type { SelectOption } from '../../../ui/controls/select.tsx'
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
  const { id, workflowId, workflowName, forkedFrom } = record
  const { data = [] } = useEndpoint('observeExecutions', { query: { workflowId, limit: '50' } })
  const replays = useReplays(id, true)
  const [typed, setTyped] = useState('')
  const selectId = useId()
  const shown = new Set([id, forkedFrom?.executionId, ...replays.map((one) => one.id)])
  const recent = data.filter((one) => !shown.has(one.id))
  return (
    <form
      aria-label="Other execution"
      className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line bg-panel px-4 py-1.5"
      onSubmit={(event) => {
        event.preventDefault()
        if (typed.trim() !== '') choose(typed.trim())
      }}
    >
      <span className="flex min-w-0 items-center gap-1.5 whitespace-nowrap text-sm text-dim">
        <label htmlFor={selectId}>Compare with</label>
        <Select
          id={selectId}
          value={chosen}
          options={[
            forkedFrom
              ? { value: forkedFrom.executionId, text: `replayed execution: ${forkedFrom.executionId}` }
              : { value: '', text: 'select' },
          ]}
          groups={[
            { label: 'Replays', options: replays.map(optionOf) },
            { label: `Recent executions of ${workflowName}`, options: recent.map(optionOf) },
          ].filter(({ options }) => options.length > 0)}
          onChange={choose}
          className="max-w-96"
        />
      </span>
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

function optionOf({ id, status, createdAt }: ExecutionRecord): SelectOption {
  return { value: id, text: `${exactTime(createdAt).slice(5, 19)}  ${statusText(status)}  …${id.slice(-8)}` }
}
