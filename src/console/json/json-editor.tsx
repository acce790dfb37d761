import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { JsonEditorView } from './json-editor-view.ts'

export interface JsonEditorProps {
  readonly label: string
  /** JSON text, which may be broken while it is typed. */
  readonly value: string
  readonly onChange: (value: string) => void
  /** Ctrl or Cmd and Enter. */
  readonly onSubmit?: () => void
  readonly error?: string | undefined
}

/** An editor for JSON. Its code comes when it is first shown; until then, and without it, a plain field does. */
export function JsonEditor({ label, value, onChange, onSubmit, error }: JsonEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<JsonEditorView>(undefined)
  const [ready, setReady] = useState(false)
  const changed = useEffectEvent(onChange)
  const submitted = useEffectEvent(() => onSubmit?.())
  const initial = useEffectEvent(() => ({ label, value }))
  useEffect(() => {
    let gone = false
    void import('./json-editor-view.ts').then(({ createJsonEditor }) => {
      if (gone || !host.current) return
      view.current = createJsonEditor(host.current, {
        ...initial(),
        onChange: (text) => changed(text),
        onSubmit: () => submitted(),
      })
      setReady(true)
    })
    return () => {
      gone = true
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
