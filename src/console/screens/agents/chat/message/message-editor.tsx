import { useEffect, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { Button } from '../../../../ui/controls/button.tsx'
import { useDiscard } from '../../../../ui/dialog/use-discard.tsx'
import { FIELD } from '../../../../ui/controls/text-field.tsx'

export interface MessageEditorProps {
  readonly text: string
  readonly send: (text: string) => void
  readonly cancel: () => void
}

/** Editor for an earlier message. */
export function MessageEditor({ text, send, cancel }: MessageEditorProps) {
  const [changed, setChanged] = useState(text)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])
  const { requestDiscard, question } = useDiscard(changed !== text, cancel)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') requestDiscard()
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && changed.trim() !== '') send(changed)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="flex flex-col gap-2">
      <textarea
        ref={field}
        aria-label="Edited message"
        value={changed}
        rows={Math.min(12, changed.split('\n').length + 1)}
        onChange={({ target }) => setChanged(target.value)}
        onKeyDown={onKeyDown}
        className={FIELD}
      />
      <div className="flex items-center gap-2">
        <Button kind="primary" size="small" disabled={changed.trim() === ''} onClick={() => send(changed)}>
          Send
        </Button>
        <Button size="small" onClick={requestDiscard}>
          Cancel
        </Button>
        <span className="text-sm text-dim">Later messages are replaced.</span>
      </div>
      {question}
    </div>
  )
}
