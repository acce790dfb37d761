import { useState } from 'react'
import { useServices } from '../services/services-context.tsx'
import { Button } from '../ui/controls/button.tsx'
import { TextField } from '../ui/controls/text-field.tsx'
import { CancelButton } from '../ui/dialog/cancel-button.tsx'
import { Dialog } from '../ui/dialog/dialog.tsx'
import type { SavedView } from './saved-views.ts'

export interface ViewNameDialogProps {
  readonly view: SavedView
  /** The name of the view that is renamed; without it, the view is new. */
  readonly saved: string | undefined
  readonly close: () => void
}

/** Saves a view under a name, or renames it. */
export function ViewNameDialog({ view, saved, close }: ViewNameDialogProps) {
  const { views, toasts } = useServices()
  const [name, setName] = useState(view.name)
  const [problem, setProblem] = useState<string>()
  const submit = () => {
    const found = views.save({ name, to: view.to }, saved)
    setProblem(found)
    if (found !== undefined) return
    toasts.info(saved === undefined ? 'Saved the view: / opens it' : 'Renamed the view')
    close()
  }
  return (
    <Dialog
      title={saved === undefined ? 'Save as a view' : 'Rename view'}
      close={close}
      edited={name !== view.name}
    >
      <form
        className="flex w-96 max-w-full flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <TextField label="Name" value={name} onChange={setName} error={problem} />
        <div className="flex justify-end gap-2">
          <CancelButton />
          <Button type="submit" kind="primary">
            {saved === undefined ? 'Save' : 'Rename'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
