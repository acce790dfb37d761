import { useEffect, useId, useRef } from 'react'
import type { ReactNode } from 'react'
import { CloseButton } from '../controls/close-button.tsx'

export interface DialogProps {
  readonly title: string
  readonly close: () => void
  readonly children: ReactNode
  /** Shows the title to screen readers only. */
  readonly quiet?: boolean
}

/** A native modal dialog, open while it is rendered. */
export function Dialog({ title, close, children, quiet = false }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    // focuses the first field, not the close button
    dialog?.querySelector<HTMLElement>('input, select, textarea')?.focus()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
      onClick={(event) => {
        if (event.target === ref.current) close()
      }}
      className="max-h-[85vh] max-w-[90vw] rounded-md border border-line-strong bg-raised p-0 shadow-float"
    >
      <div className="p-3">
        <div className={quiet ? 'sr-only' : 'flex items-center justify-between gap-4 pb-2'}>
          <h2 id={id} className="text-base font-semibold">
            {title}
          </h2>
          {!quiet && <CloseButton label="Close" onClick={close} />}
        </div>
        {children}
      </div>
    </dialog>
  )
}
