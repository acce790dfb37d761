import { useLayoutEffect, useRef } from 'react'
import type { ReactNode } from 'react'

export interface NavigationDrawerProps {
  readonly close: () => void
  readonly children: ReactNode
}

/** The folded navigation of narrow windows: a modal dialog at the edge. The browser keeps the focus in it. */
export function NavigationDrawer({ close, children }: NavigationDrawerProps) {
  const ref = useRef<HTMLDialogElement>(null)
  // the focus returns when the dialog is closed before it is removed
  useLayoutEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    dialog?.querySelector<HTMLElement>('[aria-current]')?.focus()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={ref}
      id="navigation"
      aria-label="Navigation"
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
      onClick={(event) => {
        // the backdrop, or a link of the current page, which navigates nowhere
        if (event.target === ref.current || (event.target as Element).closest('a')) close()
      }}
      className="m-0 h-dvh max-h-dvh w-64 max-w-[85vw] border-r border-line bg-panel p-0 text-text shadow-float backdrop:bg-shade open:flex open:flex-col"
    >
      {children}
    </dialog>
  )
}
