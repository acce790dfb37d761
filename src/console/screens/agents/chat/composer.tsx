import { useLayoutEffect, useRef, useSyncExternalStore } from 'react'
import type { KeyboardEvent, RefObject } from 'react'
import { useKeys } from '../../../keys/use-keys.ts'
import { ModelSettingsFields } from '../../../form/model-settings.tsx'
import type { ModelSettings } from '../../../form/model-settings.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import type { Draft } from './session/chat-session.ts'
import { FIELD } from '../../../ui/controls/text-field.tsx'

export interface ComposerProps {
  readonly draft: Draft
  readonly isBusy: boolean
  readonly send: (text: string) => void
  readonly stop: () => void
  readonly settings: ModelSettings
  readonly field: RefObject<HTMLTextAreaElement | null>
}

/** The height at which the field scrolls instead of growing. */
const MAX_HEIGHT_PX = 200

/** The field for the next message. Enter sends it, Shift+Enter inserts a line break. */
export function Composer({ draft, isBusy, send, stop, settings, field }: ComposerProps) {
  const text = useSyncExternalStore(draft.subscribe, draft.text)
  const { problem } = settings.form.read()
  const canSend = !isBusy && text.trim() !== '' && problem === undefined
  const submit = () => {
    if (canSend) send(text.trim())
  }
  useKeys([
    { keys: 'mod+Enter', label: 'Send', group: 'Chat', run: submit },
    { keys: 'Escape', label: 'Stop response', group: 'Chat', whileTyping: true, run: stop },
  ])
  useGrowing(field, text)
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, shiftKey, ctrlKey, metaKey, nativeEvent } = event
    if (key !== 'Enter' || shiftKey || ctrlKey || metaKey || nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }
  return (
    <div className="max-h-[60%] shrink-0 overflow-y-auto border-t border-line px-4 py-2">
      <div className="mx-auto flex max-w-4xl flex-col gap-1">
        <div className="flex items-end gap-2">
          <textarea
            ref={field}
            aria-label="Message"
            aria-describedby="composer-keys"
            placeholder="Message"
            rows={1}
            value={text}
            onChange={({ target }) => draft.set(target.value)}
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
        <p id="composer-keys" className="text-sm text-dim">
          <kbd className="font-sans font-semibold">Enter</kbd> sends,{' '}
          <kbd className="font-sans font-semibold">Shift+Enter</kbd> inserts a line break
        </p>
        <details>
          <summary className="text-sm text-dim">
            Model settings{settings.count > 0 && ` (${settings.count} set)`}
            {problem !== undefined && <span className="pl-2 text-error">{problem}</span>}
          </summary>
          <div className="flex flex-col gap-2 py-2">
            <ModelSettingsFields settings={settings} onSubmit={submit} />
            {settings.count > 0 && (
              <div>
                <Button size="small" onClick={settings.clear}>
                  Reset settings
                </Button>
              </div>
            )}
          </div>
        </details>
      </div>
    </div>
  )
}

/** Gives the field the height of its text, up to the limit. */
function useGrowing(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  const width = useRef(0)
  useLayoutEffect(() => {
    const element = field.current
    if (!element) return undefined
    const fit = () => {
      element.style.height = 'auto'
      const { scrollHeight, offsetHeight, clientHeight } = element
      const height = scrollHeight + offsetHeight - clientHeight
      element.style.height = `${Math.min(height, MAX_HEIGHT_PX)}px`
      element.style.overflowY = height > MAX_HEIGHT_PX ? 'auto' : 'hidden'
      width.current = element.clientWidth
    }
    fit()
    // a narrower field has more lines
    const observer = new ResizeObserver(() => {
      if (element.clientWidth !== width.current) fit()
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [field, text])
}
