import { createContext } from 'react'

export interface DialogControl {
  /** Closes the dialog; an edited one asks first. */
  readonly requestClose: () => void
}

export const DialogContext = createContext<DialogControl | undefined>(undefined)
