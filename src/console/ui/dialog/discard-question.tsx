import { AlertDialog } from '@base-ui/react/alert-dialog'
import { Button } from '../controls/button.tsx'
import { useState } from 'react'
import type { ReactNode } from 'react'

interface DiscardQuestionProps {
  readonly keep: () => void
  readonly discard: () => void
}

/** Asks whether what was entered in a dialog is discarded. */
export function DiscardQuestion({ keep, discard }: DiscardQuestionProps) {
  return (
    <AlertDialog.Root open onOpenChange={keep}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop forceRender className="fixed inset-0 bg-shade" />
        <AlertDialog.Viewport className="fixed inset-0 grid place-items-center">
          <AlertDialog.Popup
            data-modal=""
            className="flex w-80 max-w-[85vw] flex-col gap-3 rounded-md border border-line-strong bg-raised p-3 shadow-float outline-none"
          >
            <AlertDialog.Title className="text-base font-semibold">Discard changes?</AlertDialog.Title>
            <AlertDialog.Description className="text-dim">
              What you entered is not saved.
            </AlertDialog.Description>
            <div className="flex justify-end gap-2">
              <Button onClick={keep}>Keep editing</Button>
              <Button kind="danger" onClick={discard}>
                Discard
              </Button>
            </div>
          </AlertDialog.Popup>
        </AlertDialog.Viewport>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}

/** Discards what was entered in a form that is part of a page, after asking if it was edited. */
export function useDiscard(
  edited: boolean,
  discard: () => void,
): { readonly requestDiscard: () => void; readonly question: ReactNode } {
  const [asking, setAsking] = useState(false)
  return {
    requestDiscard: () => (edited ? setAsking(true) : discard()),
    question: asking && (
      <DiscardQuestion
        keep={() => setAsking(false)}
        discard={() => {
          setAsking(false)
          discard()
        }}
      />
    ),
  }
}
