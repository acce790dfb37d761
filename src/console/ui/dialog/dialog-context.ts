import { createContext, useContext } from 'react'

export interface DialogControl {
  /** Closes the dialog; an edited one asks first. */
  readonly requestClose: () => void
}

export const DialogContext = createContext<DialogControl | undefined>(undefined)

/** Where a menu or a list of options is rendered: in the `main` landmark, or in the dialog around its button. */
export function usePopupContainer(): HTMLElement | undefined {
  const dialog = useContext(DialogContext)
  return dialog ? undefined : (document.querySelector('main') ?? undefined)
}
