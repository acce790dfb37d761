import { useEffect, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { JsonEditor } from '../../../json/json-editor.tsx'
import { useKeys } from '../../../keys/use-keys.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { FIELD } from '../../../ui/controls/text-field.tsx'
import type { ChatOptionsText } from './use-chat-options.ts'

export interface ComposerProps {
  readonly isBusy: boolean
  readonly send: (text: string) => void
  readonly stop: () => void
  readonly options: ChatOptionsText
}

/** The field for the next message. Enter sends it, Shift+Enter inserts a line break. */
export function Composer({ isBusy, send, stop, options }: ComposerProps) {
  const [text, setText] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  const canSend = !isBusy && text.trim() !== '' && options.problem === undefined
  const submit = () => {
    if (!canSend) return
    send(text.trim())
    setText('')
  }
  useKeys([
    { keys: 'mod+Enter', label: 'Send', group: 'Chat', run: submit },
    { keys: 'Escape', label: 'Stop response', group: 'Chat', whileTyping: true, run: stop },
  ])
  useEffect(() => {
    const element = field.current
    if (!element) return
    element.style.height = 'auto'
    element.style.height = `${Math.min(element.scrollHeight + 2, 200)}px`
  }, [text])
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, shiftKey, ctrlKey, metaKey, nativeEvent } = event
    if (key !== 'Enter' || shiftKey || ctrlKey || metaKey || nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }
  return (
    <div className="shrink-0 border-t border-line px-4 py-2">
      <div className="mx-auto flex max-w-4xl flex-col gap-2">
        <div className="flex items-end gap-2">
          <textarea
            ref={field}
            aria-label="Message"
            placeholder="Message"
            rows={1}
            value={text}
            onChange={({ target }) => setText(target.value)}
            onKeyDown={onKeyDown}
            className={`${FIELD} resize-none`}
          />
          {isBusy ? (
            <Button onClick={stop} keys="Esc">
              <Icon name="stop" /> Stop
            </Button>
          ) : (
            <Button kind="primary" onClick={submit} disabled={!canSend} keys="Ctrl+Enter">
              <Icon name="play" /> Send
            </Button>
          )}
        </div>
        <details>
          <summary className="text-sm text-dim">
            Options{options.isSet && ' (set)'}
            {options.problem !== undefined && <span className="pl-2 text-error">{options.problem}</span>}
          </summary>
          <div className="pt-1">
            <JsonEditor
              label="Options"
              value={options.text}
              onChange={options.setText}
              onSubmit={submit}
              error={options.problem}
            />
            <p className="pt-1 text-sm text-dim">
              temperature, maxOutputTokens, maxSteps, topP, topK, seed, stopSequences, contextLimit, userId,
              context, providerOptions
            </p>
          </div>
        </details>
      </div>
    </div>
  )
}
