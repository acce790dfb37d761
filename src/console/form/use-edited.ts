import { useEffect } from 'react'
import { useUnsaved } from './use-unsaved.ts'

/** Reports that something was entered, to the page and to what contains the panel. */
export function useEdited(edited: boolean, onEdited: ((edited: boolean) => void) | undefined): void {
  useUnsaved(edited)
  useEffect(() => {
    onEdited?.(edited)
    return () => onEdited?.(false)
  }, [edited, onEdited])
}
