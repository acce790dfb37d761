import { useId, useState } from 'react'
import { errorMessage } from '../../api/request-failure.ts'
import { Button } from '../controls/button.tsx'
import { CancelButton } from './cancel-button.tsx'
import { Dialog } from './dialog.tsx'
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
  const id = useId()
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
    <Dialog title={title} close={close} edited={reason.trim() !== ''}>
      <form
        aria-describedby={id}
        className="flex w-96 max-w-full flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        <p id={id} className="text-dim">
          {note}
        </p>
        <TextField label="Reason" value={reason} onChange={setReason} placeholder="optional" />
        {failure !== undefined && (
          <p role="alert" className="break-words text-error">
            {failure}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <CancelButton>Keep running</CancelButton>
          <Button type="submit" kind={danger ? 'danger' : 'primary'} disabled={busy}>
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
