import type { ErrorLocation } from '../../contract/event.ts'
import { EDITORS } from './editor-choice.ts'
import type { EditorSettings } from './editor-choice.ts'
import { useSyncExternalStore } from 'react'
import { useSettings } from '../live/config-status.ts'
import { useServices } from '../services/services-context.tsx'

/** A place in a file of the project. */
export type Place = Pick<ErrorLocation, 'file' | 'line' | 'column'>

/** A link that opens a place in an editor. */
export interface EditorLink {
  readonly href: string
  /** Name of the editor. */
  readonly name: string
}

/** The link to a place in the project. Undefined without a directory, or with a template that is no link. */
export function editorLink(
  { file, line, column }: Place,
  { editor, template, directory }: EditorSettings,
  serverDirectory: string | null | undefined,
): EditorLink | undefined {
  const root = directory === '' ? serverDirectory : directory
  if (root === null || root === undefined) return undefined
  const path = encodeURI(absolute(root, file)).replaceAll('#', '%23').replaceAll('?', '%3F')
  if (editor !== 'custom')
    return {
      href: `${editor}://file${path.startsWith('/') ? '' : '/'}${path}:${line}:${column}`,
      name: EDITORS[editor],
    }
  if (!LINK.test(template)) return undefined
  const values: Readonly<Record<string, string | number>> = { file: path, line, column }
  return {
    href: template.replace(/\{(file|line|column)\}/g, (_, name: string) => String(values[name])),
    name: 'editor',
  }
}

/** A scheme of its own, as editors register: none that runs code in this page. */
const LINK = /^(?!javascript:|data:|blob:|vbscript:)[a-z][a-z\d+.-]*:/i

function absolute(root: string, file: string): string {
  const parts = `${root}/${file}`.split(/[/\\]+/)
  const path: string[] = []
  for (const part of parts) {
    if (part === '..' && path.length > 1) path.pop()
    else if (part !== '.') path.push(part)
  }
  return path.join('/')
}

/** The link that opens a place of the project in the chosen editor. */
export function useEditorLink(location: Place | undefined): EditorLink | undefined {
  const { editor } = useServices()
  const settings = useSyncExternalStore(editor.subscribe, editor.settings)
  const { data } = useSettings()
  return location && editorLink(location, settings, data?.config.directory)
}
