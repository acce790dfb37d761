import { useId, useSyncExternalStore } from 'react'
import { EDITORS } from '../../code/editor-choice.ts'
import type { EditorSettings } from '../../code/editor-choice.ts'
import { editorLink } from '../../code/editor-link.ts'
import { useSettings } from '../../live/config-status.ts'
import { useServices } from '../../services/services-context.tsx'
import { Select } from '../../ui/controls/select.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'

const EXAMPLE = { file: 'src/order.ts', line: 12, column: 3 }

/** The editor that links of source files open. Kept in this browser. */
export function EditorTab() {
  const id = useId()
  const { editor } = useServices()
  const settings = useSyncExternalStore(editor.subscribe, editor.settings)
  const { data } = useSettings()
  const link = editorLink(EXAMPLE, settings, data?.config.directory)
  return (
    <div className="flex max-w-xl flex-col gap-3 p-4">
      <p className="text-dim">
        The page of a failed run opens its line of code in this editor. The choice is kept in this browser.
      </p>
      <div>
        <label htmlFor={id} className="block pb-0.5 text-sm text-dim">
          Editor
        </label>
        <Select
          id={id}
          value={settings.editor}
          options={Object.entries(EDITORS).map(([value, text]) => ({ value, text }))}
          onChange={(chosen) => editor.choose({ editor: chosen as EditorSettings['editor'] })}
        />
      </div>
      {settings.editor === 'custom' && (
        <TextField
          label="Link"
          value={settings.template}
          placeholder="idea://open?file={file}&line={line}&column={column}"
          hint="With {file}, {line} and {column}"
          error={link ? undefined : 'Not a link: it begins with the scheme of the editor, such as idea:'}
          onChange={(template) => editor.choose({ template })}
        />
      )}
      <TextField
        label="Project directory on this computer"
        value={settings.directory}
        placeholder={data?.config.directory ?? '/home/me/project'}
        hint="Only if it differs from the directory of the server, as in a container"
        onChange={(directory) => editor.choose({ directory })}
      />
      {link && (
        <p className="break-all text-sm text-dim">
          Example: <span className="font-mono">{link.href}</span>
        </p>
      )}
    </div>
  )
}
