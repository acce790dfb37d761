import { useSyncExternalStore } from 'react'
import { useServices } from '../services/services-context.tsx'
import { DiscardQuestion } from '../ui/dialog/discard-question.tsx'

/** Asks before a page with an edited form is left. */
export function UnsavedQuestion() {
  const { unsaved } = useServices().router
  const asked = useSyncExternalStore(unsaved.subscribe, unsaved.asked)
  return asked && <DiscardQuestion keep={unsaved.keep} discard={unsaved.discard} />
}
