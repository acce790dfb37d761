import { useState } from 'react'
import { errorMessage } from '../../api/request-failure.ts'
import { FormDialog } from './dialog.tsx'
import { Failure } from '../state/error-view.tsx'
import { TextField } from '../controls/text-field.tsx'

export interface ReasonDialogProps {
  readonly title: string
  readonly verb: string
  readonly danger?: boolean
  /** Describes the effect. */
  readonly note: string
  readonly run: (reason: string) => Promise<unknown>
  readonly close: () => void
}

/** A confirmation with an optional reason, for actions that stop executions. */
export function ReasonDialog({ title, verb, danger = false, note, run, close }: ReasonDialogProps) {
  const [reason, setReason] = useState('')
  const [failure, setFailure] = useState<string>()
  const [busy, setBusy] = useState(false)
  const send = async () => {
    setBusy(true)
    try {
      await run(reason.trim())
      close()
    } catch (error) {
      setFailure(errorMessage(error))
      setBusy(false)
    }
  }
  return (
    <FormDialog
      title={title}
      close={close}
      edited={reason.trim() !== ''}
      note={note}
      submit={() => void send()}
      verb={verb}
      cancel="Keep running"
      danger={danger}
      disabled={busy}
    >
      <TextField label="Reason" value={reason} onChange={setReason} placeholder="optional" />
      <Failure text={failure} />
    </FormDialog>
  )
}
