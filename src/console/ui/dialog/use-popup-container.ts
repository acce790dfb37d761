import { useContext } from 'react'
import { DialogContext } from './dialog-context.ts'

/** Where a menu or a list of options is rendered: in the `main` landmark, or in the dialog around its button. */
export function usePopupContainer(): HTMLElement | undefined {
  const dialog = useContext(DialogContext)
  return dialog ? undefined : (document.querySelector('main') ?? undefined)
}
