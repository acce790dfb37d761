import { useId, useRef, useState, useContext } from 'react'
import type { ReactNode } from 'react'
import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import { CloseButton, Button } from '../controls/button.tsx'
import { DialogContext } from './dialog-context.ts'
import { DiscardQuestion } from './discard-question.tsx'

export interface DialogProps {
  readonly title: string
  readonly close: () => void
  readonly children: ReactNode
  /** Shows the title to screen readers only. */
  readonly quiet?: boolean
  /** Something was entered: the user is asked before it is discarded by Escape, backdrop, close or cancel button. */
  readonly edited?: boolean
}

/**
 * A modal dialog, open while it is rendered. The focus moves to the first field, and back to where it was when the
 * dialog closes.
 */
export function Dialog({ title, close, children, quiet = false, edited = false }: DialogProps) {
  const id = useId()
  const body = useRef<HTMLDivElement>(null)
  const [asking, setAsking] = useState(false)
  const requestClose = () => {
    if (edited) setAsking(true)
    else close()
  }
  return (
    <BaseDialog.Root open onOpenChange={requestClose}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="fixed inset-0 bg-shade" />
        <BaseDialog.Viewport className="fixed inset-0 grid place-items-center overflow-hidden">
          <BaseDialog.Popup
            data-modal=""
            aria-labelledby={id}
            initialFocus={() => firstControl(body.current) ?? true}
            className="flex max-h-[85dvh] max-w-[90vw] flex-col rounded-md border border-line-strong bg-raised p-3 shadow-float outline-none"
          >
            <div className={quiet ? 'sr-only' : 'flex shrink-0 items-center justify-between gap-4 pb-2'}>
              <BaseDialog.Title id={id} className="min-w-0 text-base font-semibold [overflow-wrap:anywhere]">
                {title}
              </BaseDialog.Title>
              {!quiet && <CloseButton label="Close" onClick={requestClose} />}
            </div>
            <div ref={body} className="-m-1 flex min-h-0 flex-col overflow-auto p-1">
              <DialogContext value={{ requestClose }}>{children}</DialogContext>
            </div>
            {asking && <DiscardQuestion keep={() => setAsking(false)} discard={close} />}
          </BaseDialog.Popup>
        </BaseDialog.Viewport>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  )
}

interface FormDialogProps extends Omit<DialogProps, 'quiet' | 'children'> {
  /** What it does. */
  readonly note?: string
  readonly children?: ReactNode
  readonly submit: () => void
  /** The texts of the buttons that submit and close it. */
  readonly verb: string
  readonly cancel?: string
  readonly danger?: boolean
  readonly disabled?: boolean
}

/** A dialog with a small form. */
export function FormDialog(props: FormDialogProps) {
  const { note, children, submit, verb, cancel, danger = false, disabled = false, ...dialog } = props
  const id = useId()
  return (
    <Dialog {...dialog}>
      <form
        aria-describedby={note === undefined ? undefined : id}
        className="flex w-96 max-w-full flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        {note !== undefined && (
          <p id={id} className="text-dim">
            {note}
          </p>
        )}
        {children}
        <div className="flex justify-end gap-2">
          <CancelButton>{cancel}</CancelButton>
          <Button type="submit" kind={danger ? 'danger' : 'primary'} disabled={disabled}>
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function firstControl(body: HTMLElement | null): HTMLElement | null | undefined {
  return body?.querySelector<HTMLElement>('input:not([aria-hidden]), textarea, button:not(:disabled)')
}

/** Closes the dialog around it without acting. An edited dialog asks first. */
export function CancelButton({ children = 'Cancel' }: { readonly children?: string | undefined }) {
  const dialog = useContext(DialogContext)
  if (!dialog) throw new Error('CancelButton must be used in a Dialog')
  return <Button onClick={dialog.requestClose}>{children}</Button>
}
