import { useContext } from 'react'
import { Button } from '../controls/button.tsx'
import { DialogContext } from './dialog-context.ts'

/** Closes the dialog around it without acting. An edited dialog asks first. */
export function CancelButton({ children = 'Cancel' }: { readonly children?: string }) {
  const dialog = useContext(DialogContext)
  if (!dialog) throw new Error('CancelButton must be used in a Dialog')
  return <Button onClick={dialog.requestClose}>{children}</Button>
}
