import { useState } from 'react'
import type { ExecutionRecord } from '../../../contract/endpoints/execution.ts'
import { errorMessage } from '../../api/request-failure.ts'
import { useServices } from '../../services/services-context.tsx'
import { useKeys } from '../../keys/use-keys.ts'
import { Button } from '../../ui/controls/button.tsx'
import { countText } from '../../ui/time/format-time.ts'
import { saveFile } from '../../ui/controls/save-file.ts'
import { CancelSeveral } from './cancel-several.tsx'
import { mapConcurrently } from './map-concurrently.ts'

export interface SelectionBarProps {
  readonly selected: readonly ExecutionRecord[]
  readonly clear: () => void
  readonly refetch: () => void
}

/** Actions on the selected executions. */
export function SelectionBar({ selected, clear, refetch }: SelectionBarProps) {
  const { api, toasts } = useServices()
  const [asking, setAsking] = useState(false)
  const [busy, setBusy] = useState(false)
  const open = selected.filter(({ status }) => status === 'running' || status === 'suspended')
  const ask = () => {
    if (open.length > 0) setAsking(true)
  }
  useKeys([{ keys: 'c', label: 'Cancel selected executions', group: 'Executions', run: ask }])
  const save = async () => {
    setBusy(true)
    try {
      const records = await mapConcurrently(selected, ({ id: executionId }) =>
        api.call('observeExecution', { params: { executionId } }),
      )
      // whoever has the file must not be able to resume them
      const exported = records.map(({ resumeUrl: _, ...record }) => record)
      saveFile('executions.json', JSON.stringify(exported, null, 2))
    } catch (error) {
      toasts.error(errorMessage(error))
    }
    setBusy(false)
  }
  return (
    <section
      aria-label="Selection"
      className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line bg-chosen px-4 py-1"
    >
      <span role="status">{countText(selected.length)} selected</span>
      <Button size="small" kind="danger" disabled={open.length === 0} onClick={ask} keys="c">
        {`Cancel ${countText(open.length)} active`}
      </Button>
      <Button size="small" disabled={busy} onClick={() => void save()}>
        {busy ? 'Exporting…' : 'Export as JSON'}
      </Button>
      <Button size="small" onClick={clear}>
        Clear
      </Button>
      {asking && (
        <CancelSeveral
          executions={open}
          done={() => {
            clear()
            refetch()
          }}
          close={() => setAsking(false)}
        />
      )}
    </section>
  )
}
