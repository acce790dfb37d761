import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { JsonEditorView } from './json-editor-view.ts'

export interface JsonEditorProps {
  readonly label: string
  /** JSON text, which may be invalid while it is edited. */
  readonly value: string
  readonly onChange: (value: string) => void
  /** Called on Ctrl+Enter or Cmd+Enter. */
  readonly onSubmit?: () => void
  readonly error?: string | undefined
}

/** A JSON editor. Its code is loaded when it is first shown; until then it is a plain text field. */
export function JsonEditor({ label, value, onChange, onSubmit, error }: JsonEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<JsonEditorView>(undefined)
  const [ready, setReady] = useState(false)
  const changed = useEffectEvent(onChange)
  const submitted = useEffectEvent(() => onSubmit?.())
  const initial = useEffectEvent(() => ({ label, value }))
  useEffect(() => {
    let unmounted = false
    void import('./json-editor-view.ts').then(({ createJsonEditor }) => {
      if (unmounted || !host.current) return
      view.current = createJsonEditor(host.current, {
        ...initial(),
        onChange: (text) => changed(text),
        onSubmit: () => submitted(),
      })
      setReady(true)
    })
    return () => {
      unmounted = true
      view.current?.destroy()
      view.current = undefined
    }
  }, [])
  useEffect(() => view.current?.show(value), [value])
  return (
    <div>
      <div
        ref={host}
        data-editor=""
        className={`max-h-96 min-h-20 overflow-auto rounded-sm border bg-raised ${error === undefined ? 'border-line-strong' : 'border-error'} ${ready ? '' : 'hidden'}`}
      />
      {!ready && (
        <textarea
          aria-label={label}
          value={value}
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
          className="h-32 w-full rounded-sm border border-line-strong bg-raised p-2 font-mono text-sm"
        />
      )}
      {error !== undefined && <p className="pt-0.5 text-sm text-error">{error}</p>}
    </div>
  )
}
