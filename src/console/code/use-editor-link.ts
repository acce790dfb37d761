import { useSyncExternalStore } from 'react'
import { useSettings } from '../live/config-status.ts'
import { useServices } from '../services/services-context.tsx'
import { editorLink } from './editor-link.ts'
import type { EditorLink, Place } from './editor-link.ts'

/** The link that opens a place of the project in the chosen editor. */
export function useEditorLink(location: Place | undefined): EditorLink | undefined {
  const { editor } = useServices()
  const settings = useSyncExternalStore(editor.subscribe, editor.settings)
  const { data } = useSettings()
  return location && editorLink(location, settings, data?.config.directory)
}
