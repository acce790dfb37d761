import { useState } from 'react'
import { ApiError } from '../../../client/api-error.ts'
import type { ExecutionRecord } from '../../../contract/endpoints/execution.ts'
import { mapConcurrently } from '../../api/map-concurrently.ts'
import { errorMessage } from '../../api/request-failure.ts'
import { useKeys } from '../../keys/use-keys.ts'
import { useServices } from '../../services/services-context.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { saveFile } from '../../ui/controls/save-file.ts'
import { ReasonDialog } from '../../ui/dialog/reason-dialog.tsx'
import { countText } from '../../ui/time/format-time.ts'

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
  useKeys([{ keys: 'c', label: 'Cancel selected runs', group: 'Runs', run: ask }])
  const save = async () => {
    setBusy(true)
    try {
      const records = await mapConcurrently(selected, ({ id: executionId }) =>
        api.call('observeExecution', { params: { executionId } }),
      )
      // whoever has the file must not be able to resume them
      const exported = records.map(({ resumeUrl: _, ...record }) => record)
      saveFile('runs.json', JSON.stringify(exported, null, 2))
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

interface CancelSeveralProps {
  readonly executions: readonly ExecutionRecord[]
  readonly done: () => void
  readonly close: () => void
}

/** Cancels executions after confirmation. Executions that have ended meanwhile are skipped. */
function CancelSeveral({ executions, done, close }: CancelSeveralProps) {
  const { api, toasts } = useServices()
  const count = executions.length
  const run = async (reason: string) => {
    const body = reason === '' ? {} : { reason }
    const cancelled = await mapConcurrently(executions, async ({ id, workflowId }) => {
      try {
        await api.call('cancelExecution', { params: { id: workflowId, executionId: id }, body })
        return true
      } catch (error) {
        if (error instanceof ApiError && error.status === 400) return false
        throw error
      }
    })
    const ended = cancelled.filter((one) => !one).length
    toasts.info(`Cancelled ${count - ended}${ended > 0 ? `; ${ended} had already ended` : ''}`)
    done()
  }
  return (
    <ReasonDialog
      title={`Cancel ${count} ${count === 1 ? 'run' : 'runs'}?`}
      note="The runs stop immediately and cannot be resumed. Completed steps keep their results."
      verb={count === 1 ? 'Cancel run' : 'Cancel runs'}
      danger
      run={run}
      close={close}
    />
  )
}
